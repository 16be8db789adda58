/* A pacemaker for both chambers of a heart, as nodes that send each other messages.
 *
 * Each side of the pacemaker has a timer of its own, which a clock drives by messages. Each chamber of the heart may beat
 * by itself, and then tells its side; the atrial side tells the ventricular one. The ventricular side paces when its timer
 * comes to LIMIT, or DELAY periods after a beat of the atrium; the atrial side paces when its timer comes to LIMIT.
 *
 * LIMIT  the longest time that a side waits for a beat, in periods   (3)
 * DELAY  from atrium to ventricle                                     (2)
 * BEATS  beats of a chamber between two periods                       (1)
 *
 * paced: a side that paces has waited as long as it must.
 */
#ifndef LIMIT
#define LIMIT 3
#endif
#ifndef DELAY
#define DELAY 2
#endif
#ifndef BEATS
#define BEATS 1
#endif

mtype = { TICK, BEAT, PACE };

chan to_a = [1] of { mtype };		/* to the sides */
chan to_v = [1] of { mtype };
chan tick_a = [0] of { bit };
chan tick_v = [0] of { bit };
chan heart_a = [0] of { bit };		/* a period is over, for the chambers */
chan heart_v = [0] of { bit };
bit pace_a, pace_v;
byte timer_a, timer_v, since_a;

active proctype clock()
{	do
	:: heart_a!1; heart_v!1; tick_a!1; tick_v!1
	od
}

active proctype atrium()
{	byte beats;
	xs to_a;

end:	do
	:: beats > 0 -> beats--; to_a!BEAT
	:: heart_a?_ -> beats = BEATS
	:: beats > 0 -> beats = 0
	od
}

active proctype ventricle()
{	byte beats;

end:	do
	:: beats > 0 -> beats--; to_v!BEAT
	:: heart_v?_ -> beats = BEATS
	:: beats > 0 -> beats = 0
	od
}

active proctype atrial_side()
{	xr to_a;

end:	do
	:: to_a?BEAT -> timer_a = 0; to_v!PACE
	:: tick_a?_ ->
		timer_a++;
		if
		:: timer_a == LIMIT ->
			pace_a = 1;
			pace_a = 0;
			timer_a = 0;
			to_v!PACE
		:: else
		fi
	od
}

active proctype ventricular_side()
{	bit waiting;
	xr to_v;

end:	do
	:: to_v?BEAT -> timer_v = 0; since_a = 0; waiting = 0
	:: to_v?PACE ->			/* the atrium has beaten, or was paced */
		if
		:: !waiting -> waiting = 1; since_a = 0
		:: else
		fi
	:: tick_v?_ ->
		timer_v++;
		if
		:: waiting -> since_a++
		:: else
		fi;
		if
		:: timer_v == LIMIT || (waiting && since_a == DELAY) ->
			pace_v = 1;
			pace_v = 0;
			timer_v = 0;
			since_a = 0;
			waiting = 0
		:: else
		fi
	od
}

ltl paced { [] ((pace_a == 1 -> timer_a == LIMIT) && (pace_v == 1 -> (timer_v == LIMIT || since_a == DELAY))) }
