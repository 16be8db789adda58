/* A sender and a receiver, with a line between them that may lose bits, and somebody who makes the bits and somebody who
 * uses them. Nobody answers: what is lost is lost.
 *
 * N  bits that the line may lose in a row      (2)
 *
 * zero, one: the receiver has a bit.
 */
#ifndef N
#define N 2
#endif

chan made = [1] of { bit };
chan sent = [1] of { bit };
chan heard = [1] of { bit };
chan used = [1] of { bit };

active proctype Maker()
{	bit data;
	xs made;

	do
	:: data = 0; made!data
	:: data = 1; made!data
	od
}

active proctype Sender()
{	bit data;
	xr made;
	xs sent;

	do
	:: made?data; sent!data
	od
}

active proctype Line()
{	bit data;
	byte lost;
	xr sent;
	xs heard;

	do
	:: sent?data ->
		if
		:: lost = 0; heard!data
		:: lost < N -> lost++
		fi
	od
}

active proctype Receiver()
{	bit data;
	xr heard;
	xs used;

	do
	:: heard?data ->
		if
		:: data == 0 ->
zero:			skip
		:: else ->
one:			skip
		fi;
		used!data
	od
}

active proctype User()
{	bit data;
	xr used;

	do
	:: used?data
	od
}
