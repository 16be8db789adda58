/* The stable marriage problem, solved by the men and women themselves (the algorithm of McVitie and Wilson): a man
   proposes to the women in the order of his liking until one keeps him, a woman keeps the best man who has asked so far
   and tells the other one to go on. A registrar sees each woman's first engagement; when all women have one, it is over.

   N      so many men and as many women (default 3)
   ERROR  a woman who changes her mind tells nobody: the man she leaves waits for her, a woman may never be asked, and
          the village waits for ever (a deadlock) */

#ifndef N
#define N 3
#endif

#define CHOICE(m, k)	((m / 2 + k) % N)		/* whom man m likes k-th best: two men each have the same taste */
#define RANK(w, m)	((2 * N - 1 - m + w) % N)	/* what woman w thinks of man m: the less the better */
#define NOBODY		N

chan proposals[N] = [1] of { byte };	/* to a woman: who asks */
chan refusals[N] = [1] of { bit };	/* to a man: go on */
chan engaged = [0] of { bit };		/* to the registrar */
bool over;
byte husband[N] = NOBODY;

proctype Man(byte me)
{
	byte k;

	do
	:: k < N ->
		proposals[CHOICE(me, k)]!me;
		k++;
		if
		:: refusals[me]?_
		:: over -> break
		fi
	:: k == N -> break
	od
}

proctype Woman(byte me)
{
	byte suitor;

	do
	:: proposals[me]?suitor ->
		if
		:: husband[me] == NOBODY ->
			husband[me] = suitor;
			engaged!1
		:: husband[me] != NOBODY && RANK(me, suitor) < RANK(me, husband[me]) ->
#ifndef ERROR
			refusals[husband[me]]!1;
#endif
			husband[me] = suitor
		:: husband[me] != NOBODY && RANK(me, suitor) >= RANK(me, husband[me]) ->
			refusals[suitor]!1
		fi
	:: over -> break
	od
}

init
{
	byte i;

	atomic {
		do
		:: i < N ->
			run Man(i);
			run Woman(i);
			i++
		:: else -> break
		od
	}
	i = 0;
	do
	:: i < N ->
		engaged?_;
		i++
	:: else -> break
	od;
	over = true
}
