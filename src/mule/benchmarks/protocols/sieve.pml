/* The sieve of Eratosthenes as a pipeline: a generator and PRIMES filters, one process each.
 *
 * The generator sends 2, 3, ..., LAST and then 0, which ends the round; then it begins again. A filter keeps the first
 * number of a round, a prime, and passes on those that are no multiples of it.
 *
 * PRIMES  how many primes are found in each round, 2 to 5  (3)
 * LAST    the largest number sent, the last prime at least (7)
 * ROOM    messages that fit into a channel                 (2)
 *
 * again: the last prime is found again and again.
 */
#ifndef PRIMES
#define PRIMES 3
#endif
#if PRIMES == 2
#define NTH 3
#elif PRIMES == 3
#define NTH 5
#elif PRIMES == 4
#define NTH 7
#else
#define NTH 11
#endif
#ifndef LAST
#define LAST 7
#endif
#ifndef ROOM
#define ROOM 2
#endif

chan numbers[PRIMES] = [ROOM] of { byte };
bit visit;

proctype generator(chan out)
{	byte n;
	xs out;

	do
	:: n = 2;
	   do
	   :: n <= LAST -> out!n; n++
	   :: else -> break
	   od;
	   out!0
	od
}

proctype filter(chan in; chan out)
{	byte prime, n;
	xr in;
	xs out;

	do
	:: in?prime;
	   do
	   :: in?n ->
		if
		:: n == 0 -> break
		:: n != 0 && n % prime != 0 -> out!n
		:: else
		fi
	   od;
	   out!0
	od
}

proctype last_filter(chan in)
{	byte prime, n;
	xr in;

	do
	:: in?prime;
	   assert(prime == NTH);
	   visit = 1;
	   visit = 0;
	   do
	   :: in?n ->
		if
		:: n == 0 -> break
		:: else
		fi
	   od
	od
}

init
{	byte i;
	atomic {
		run generator(numbers[0]);
		do
		:: i < PRIMES - 1 -> run filter(numbers[i], numbers[i + 1]); i++
		:: else -> break
		od;
		run last_filter(numbers[i])
	}
}

ltl again { []<> (visit == 1) }
