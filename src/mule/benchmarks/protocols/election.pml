/* Who has the highest number in a one-way ring? The algorithm of Dolev, Klawe and Rodeh: a node that is still in the race
   hears the numbers of the two that are in the race before it, and stays, with the number of the nearer one, only if
   that is the highest of the three; all others pass on what they hear.

   N      so many nodes (default 4), an even number with ERROR
   ERROR  two nodes have the highest number: both think that they have won (an assertion) */

#ifndef N
#define N 4
#endif

#ifdef ERROR
#define NUMBER(i)	(i == 0 || i == N / 2 -> N : i)
#else
#define NUMBER(i)	(i % 2 -> N + i : i)
#endif

mtype = { first, second, result };

chan link[N] = [2] of { mtype, byte };	/* to node i */
byte leaders;

proctype Node(byte me)
{
	byte mine, near, far;
	chan in = link[me];
	chan out = link[(me + 1) % N];
	xr in;
	xs out;

	mine = NUMBER(me);

race:	out!first(mine);
	if
	:: in?first(near) ->
		if
		:: near == mine -> goto won
		:: else
		fi
	:: in?result(near) -> goto told
	fi;
	out!second(near);
	if
	:: in?second(far) ->
		if
		:: near > far && near > mine ->
			mine = near;
			goto race
		:: else
		fi
	:: in?result(far) -> goto told
	fi;

pass:	if
	:: in?first(near) -> out!first(near)
	:: in?second(near) -> out!second(near)
	:: in?result(near) -> goto told
	fi;
	goto pass;

won:	leaders++;
	assert(leaders == 1);
	out!result(mine);
	in?result(mine);
	goto over;

told:	out!result(near);
over:	skip
}

init
{
	byte i;

	atomic {
		do
		:: i < N ->
			run Node(i);
			i++
		:: else -> break
		od
	}
}
