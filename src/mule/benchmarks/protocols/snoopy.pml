/* A snooping cache: processors with a cache of one line each, on one bus.
 *
 * A line is invalid, shared or modified. A processor that cannot serve a read or a write from its own line asks the bus.
 * The bus serves one request after the other: it tells all other caches what is wanted, collects their answers, and then
 * grants the request with the value. For a read a modified line becomes shared, for a write every other line becomes
 * invalid; a modified line is written back to the memory with the answer.
 *
 * CPUS    processors, each with its cache          (2)
 * VALUES  values that a line can have              (2)
 *
 * again:  the processors read or write again and again.
 * single: a modified line is the only valid one. (Shown for the first two.)
 */
#ifndef CPUS
#define CPUS 2
#endif
#ifndef VALUES
#define VALUES 2
#endif

mtype = { READ, WRITE };

#define INVALID  0
#define SHARED   1
#define MODIFIED 2

chan request = [CPUS] of { mtype, byte };
chan snoop[CPUS] = [1] of { mtype };
chan answer[CPUS] = [1] of { bit, byte };	/* whether the line was modified, and its value */
chan grant[CPUS] = [0] of { byte };

byte line[CPUS];
bit visit;

proctype cache(byte me; chan asked; chan answers; chan granted)
{	byte value, use;
	mtype wanted, kind;
	xr asked;
	xs answers;

idle:	visit = 1;
	visit = 0;
	if
	:: wanted = READ
	:: wanted = WRITE
	fi;
	if
	:: line[me] == MODIFIED || (line[me] == SHARED && wanted == READ) -> goto hit
	:: else -> request!wanted(me)
	fi;
wait:	do
	:: asked?kind ->
		if
		:: line[me] == MODIFIED -> line[me] = (kind == WRITE -> INVALID : SHARED); answers!1(value)
		:: line[me] != MODIFIED && kind == WRITE -> line[me] = INVALID; answers!0(0)
		:: else -> answers!0(0)
		fi
	:: granted?value ->
		if
		:: wanted == WRITE -> line[me] = MODIFIED
		:: else -> line[me] = SHARED
		fi;
		break
	od;
hit:	if
	:: wanted == WRITE -> value = (value + 1) % VALUES
	:: else -> use = value; use = 0
	fi;
	if
	:: asked?kind ->				/* what came meanwhile */
		if
		:: line[me] == MODIFIED -> line[me] = (kind == WRITE -> INVALID : SHARED); answers!1(value)
		:: line[me] != MODIFIED && kind == WRITE -> line[me] = INVALID; answers!0(0)
		:: else -> answers!0(0)
		fi
	:: empty(asked)
	fi;
	goto idle
}

proctype bus()
{	byte memory, value, who, i;
	bit modified;
	mtype kind;

end:	do
	:: request?kind(who) ->
		i = 0;
		do
		:: i < CPUS && i != who -> snoop[i]!kind; i++
		:: i == who -> i++
		:: i >= CPUS -> break
		od;
		i = 0;
		do
		:: i < CPUS && i != who ->
			answer[i]?modified(value);
			if
			:: modified -> memory = value
			:: else
			fi;
			i++
		:: i == who -> i++
		:: i >= CPUS -> break
		od;
		grant[who]!memory
	od
}

init
{	byte i;
	atomic {
		do
		:: i < CPUS -> run cache(i, snoop[i], answer[i], grant[i]); i++
		:: else -> break
		od;
		run bus();
		i = 0
	}
}

ltl again { []<> (visit == 1) }
ltl single { [] (!(line[0] == MODIFIED && line[1] != INVALID) && !(line[1] == MODIFIED && line[0] != INVALID)) }
