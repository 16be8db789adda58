/* Mutual exclusion by a token that goes round a ring. Each station works on its own, and now and then it wants to be
 * alone: then it keeps the token until it is done.
 *
 * N  stations      (4)
 *
 * cs: a station is in its critical section.
 */
#ifndef N
#define N 4
#endif

chan ring[N] = [1] of { bit };

proctype P(byte me)
{	bit wants, token;
	chan in = ring[me];
	chan out = ring[(me + 1) % N];
	xr in;
	xs out;

	do
	:: !wants -> wants = 1
	:: in?token ->
		if
		:: wants ->
cs:			skip;
			wants = 0
		:: else
		fi;
		out!token
	od
}

init
{	byte i;

	atomic {
		do
		:: i < N -> run P(i); i++
		:: else -> break
		od;
		ring[0]!1
	}
}
