/* The alternating bit protocol over two lines, each a process of its own, that may lose messages.
 *
 * The sender repeats a message whenever it likes, until the bit that it carries comes back; the receiver sends back the
 * bit of whatever it gets.
 *
 * N  messages that a line may lose in a row      (2)
 *
 * zero, one: the receiver has a new message.
 */
#ifndef N
#define N 2
#endif

chan sent = [1] of { bit, bit };
chan heard = [1] of { bit, bit };
chan answered = [1] of { bit };
chan back = [1] of { bit };

active proctype Sender()
{	bit data, sign, answer;
	xs sent;
	xr back;

next:	if
	:: data = 0
	:: data = 1
	fi;
	do
	:: sent!data,sign			/* again and again */
	:: back?answer ->
		if
		:: answer == sign -> break
		:: else
		fi
	od;
	sign = 1 - sign;
	goto next
}

active proctype Line()
{	bit data, sign;
	byte lost;
	xr sent;
	xs heard;

	do
	:: sent?data,sign ->
		if
		:: lost = 0; heard!data,sign
		:: lost < N -> lost++
		fi
	od
}

active proctype Receiver()
{	bit data, sign, expected;
	xr heard;
	xs answered;

	do
	:: heard?data,sign ->
		if
		:: sign == expected ->
			expected = 1 - expected;
			if
			:: data == 0 ->
zero:				skip
			:: else ->
one:				skip
			fi
		:: else
		fi;
		answered!sign
	od
}

active proctype Back()
{	bit sign;
	byte lost;
	xr answered;
	xs back;

	do
	:: answered?sign ->
		if
		:: lost = 0; back!sign
		:: lost < N -> lost++
		fi
	od
}
