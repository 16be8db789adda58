/* Distributed accounting: branches in a ring pay each other, and an auditor adds up what they have, while they go on.
 *
 * A payment goes to the next branch. An audit follows the payments: the first branch notes its balance and sends a mark
 * after what it has paid before; each branch that gets the mark notes its balance and passes the mark on; what the first
 * branch receives before the mark comes back was under way. All notes go to the auditor, who finds the whole sum. Between
 * two marks a branch makes at most PAYMENTS payments, so that audits go on.
 *
 * BRANCHES  branches in the ring                   (3)
 * BALANCE   what each branch has at first          (1)
 * PAYMENTS  of a branch between two audits         (1)
 *
 * again: audits are done again and again.
 */
#ifndef BRANCHES
#define BRANCHES 3
#endif
#ifndef BALANCE
#define BALANCE 1
#endif
#ifndef PAYMENTS
#define PAYMENTS 1
#endif

mtype = { PAYMENT, MARK };

chan ring[BRANCHES] = [BRANCHES * BALANCE + 1] of { mtype };
chan notes = [BRANCHES] of { byte };
chan order = [1] of { bit };
bit visit;

proctype first_branch(chan in; chan out)
{	byte balance = BALANCE, payments = PAYMENTS, noted;
	mtype kind;
	xr in;
	xs out;
	xr order;

end:	do
	:: balance > 0 && payments > 0 -> balance--; payments--; out!PAYMENT
	:: in?kind -> balance++
	:: order?_ ->
		noted = balance;
		out!MARK;
		do
		:: in?kind ->
			if
			:: kind == PAYMENT -> balance++; noted++
			:: else -> break
			fi
		od;
		notes!noted;
		noted = 0;
		payments = PAYMENTS
	od
}

proctype branch(chan in; chan out)
{	byte balance = BALANCE, payments = PAYMENTS;
	mtype kind;
	xr in;
	xs out;

end:	do
	:: balance > 0 && payments > 0 -> balance--; payments--; out!PAYMENT
	:: in?kind ->
		if
		:: kind == PAYMENT -> balance++
		:: else -> notes!balance; out!MARK; payments = PAYMENTS
		fi
	od
}

proctype auditor()
{	byte count, sum, note;
	xs order;
	xr notes;

	do
	:: visit = 1;
	   visit = 0;
	   order!1;
	   do
	   :: count < BRANCHES -> notes?note; sum = sum + note; count++
	   :: else -> break
	   od;
	   assert(sum == BRANCHES * BALANCE);
	   sum = 0;
	   count = 0
	od
}

init
{	byte i;
	atomic {
		run first_branch(ring[BRANCHES - 1], ring[0]);
		do
		:: i < BRANCHES - 1 -> run branch(ring[i], ring[i + 1]); i++
		:: else -> break
		od;
		run auditor();
		i = 0
	}
}

ltl again { []<> (visit == 1) }
