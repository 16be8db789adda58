/* Mutual exclusion by Peterson's algorithm for N processes: N - 1 levels, and on each of them the one who came last waits
 * while anybody else is as far.
 *
 * N  processes      (3)
 *
 * cs: a process is in its critical section.
 */
#ifndef N
#define N 3
#endif

byte level[N];
byte last[N];

active [N] proctype P()
{	byte mine, other;

	do
	:: mine = 1;
	   do
	   :: mine < N ->
		level[_pid] = mine;
		last[mine] = _pid;
		other = 0;
		do
		:: other < N ->
			(other == _pid || level[other] < mine || last[mine] != _pid);
			other++
		:: else -> break
		od;
		mine++
	   :: else -> break
	   od;
cs:	   skip;
	   level[_pid] = 0
	od
}
