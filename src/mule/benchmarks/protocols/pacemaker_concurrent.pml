/* A pacemaker for both chambers of a heart, as threads that share variables and a clock.
 *
 * In each period of the clock first the two chambers of the heart move: a chamber may beat by itself, once it has rested
 * for REST periods. Then the two sides of the pacemaker look at the times since the last beats: the atrial side paces the
 * atrium if the ventricle has been silent for LIMIT - DELAY periods, the ventricular side paces the ventricle if it has
 * been silent for LIMIT. Then the clock goes on. All that is ready in a period happens in any order.
 *
 * LIMIT  the longest time between beats of the ventricle, in periods   (8)
 * DELAY  from atrium to ventricle                                       (3)
 * REST   the shortest time between two beats of a chamber               (2)
 *
 * paced: the ventricle is never silent for more than LIMIT periods, and it is only paced when it was silent so long.
 */
#ifndef LIMIT
#define LIMIT 8
#endif
#ifndef DELAY
#define DELAY 3
#endif
#ifndef REST
#define REST 2
#endif

byte since_a, since_v;			/* periods since the last beat of each chamber */
bit beat_a, beat_v;			/* in this period */
bit pace_a, pace_v;
bit heart_a, heart_v;			/* has moved in this period */
bit side_a, side_v;

active proctype atrium()
{	do
	:: !heart_a ->
		if
		:: since_a >= REST -> beat_a = 1
		:: beat_a = 0
		fi;
		heart_a = 1
	od
}

active proctype ventricle()
{	do
	:: !heart_v ->
		if
		:: since_v >= REST -> beat_v = 1
		:: beat_v = 0
		fi;
		heart_v = 1
	od
}

active proctype atrial_side()
{	do
	:: heart_a && heart_v && !side_a ->
		if
		:: !beat_a && !beat_v && since_v >= LIMIT - DELAY && since_a >= REST -> pace_a = 1
		:: else -> pace_a = 0
		fi;
		side_a = 1
	od
}

active proctype ventricular_side()
{	do
	:: heart_a && heart_v && !side_v ->
		if
		:: !beat_v && since_v >= LIMIT -> pace_v = 1
		:: else -> pace_v = 0
		fi;
		side_v = 1
	od
}

active proctype clock()
{	do
	:: atomic { side_a && side_v ->
		if
		:: beat_a || pace_a -> since_a = 0
		:: else ->
			if
			:: since_a < LIMIT -> since_a++
			:: else
			fi
		fi;
		if
		:: beat_v || pace_v -> since_v = 0
		:: else -> since_v++
		fi;
		beat_a = 0;
		beat_v = 0;
		pace_a = 0;
		pace_v = 0;
		heart_a = 0;
		heart_v = 0;
		side_a = 0;
		side_v = 0 }
	od
}

ltl paced { [] (since_v <= LIMIT && (pace_v == 1 -> since_v >= LIMIT)) }
