/* A plain old telephone switch: each phone has a line in the exchange, and the lines call each other.

   The line that called says `release` once, whoever hangs up first, and the other one answers with `done`, which is the
   last word of a call: no word of an old call is heard in a new one.

   N      so many phones (default 2)
   ERROR  a line that is about to call another one hears nobody: two phones that call each other at the same time wait
          for ever (a deadlock) */

#ifndef N
#define N 2
#endif

mtype = { lift, dial, hang };			/* what a phone does */
mtype = { busy, rings, answers, gone, done };	/* what a line answers the one that called it */

chan phone[N] = [0] of { mtype, byte };
chan call[N] = [0] of { byte };
chan reply[N] = [4] of { mtype };
chan release[N] = [1] of { bit };
bool ready[N];					/* for a number */

proctype Phone(byte me)
{
	byte other;

end:	do
	:: phone[me]!lift(0);
		do
		:: ready[me] ->
			other = (me + 1) % N;
			do
			:: (other + 1) % N != me -> other = (other + 1) % N
			:: break
			od;
			phone[me]!dial(other)
		:: phone[me]!hang(0) -> break
		od
	od
}

#define refuse	call[me]?who -> reply[who]!busy		/* it is in use */

proctype Line(byte me)
{
	byte other, who;
	bool lifted;

end:	if
	:: phone[me]?lift(_)
	:: call[me]?other -> goto rung
	fi;
	ready[me] = true;
	do
	:: atomic { phone[me]?dial(other) -> ready[me] = false };
		break
	:: atomic { phone[me]?hang(_) -> ready[me] = false };
		goto end
	:: refuse
	od;
	do
	:: call[other]!me -> break
#ifndef ERROR
	:: refuse
#endif
	od;
	do
	:: reply[me]?busy -> goto silent
	:: reply[me]?rings -> break
	:: refuse
	od;
	do
	:: reply[me]?answers
	:: reply[me]?gone ->
		lifted = true;
		break
	:: phone[me]?hang(_) ->
		lifted = false;
		break
	:: refuse
	od;
	release[other]!1;
	do
	:: reply[me]?done -> break
	:: reply[me]?answers
	:: reply[me]?gone
	:: refuse
	od;
	goto after;

rung:	lifted = false;
	reply[other]!rings;
	do
	:: phone[me]?lift(_) ->
		lifted = true;
		reply[other]!answers
	:: phone[me]?hang(_) ->
		lifted = false;
		reply[other]!gone;
		break
	:: release[me]?_ -> goto over
	:: refuse
	od;
	do
	:: release[me]?_ -> break
	:: refuse
	od;
over:	reply[other]!done;

after:	if
	:: lifted
	:: !lifted -> goto end
	fi;
silent:	do						/* until the phone is put down */
	:: phone[me]?hang(_) -> goto end
	:: refuse
	od
}

init
{
	byte i;

	atomic {
		do
		:: i < N ->
			run Phone(i);
			run Line(i);
			i++
		:: else -> break
		od
	}
}
