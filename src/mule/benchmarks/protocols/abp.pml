/* The alternating bit protocol over a line that loses messages in both directions.
 *
 * The sender repeats a message until the bit that it carries comes back. It repeats it when nothing else can happen any
 * more.
 *
 * DATA  how many messages can be told apart      (4)
 * ROOM  messages that fit into a channel         (1)
 *
 * again: the sender sends again and again. (That something arrives again and again is not so: all may be lost.)
 * once:  what was sent last is at most one message ahead of what was received last.
 */
#ifndef DATA
#define DATA 4
#endif
#ifndef ROOM
#define ROOM 1
#endif

chan line = [ROOM] of { bit, byte };
chan back = [ROOM] of { bit };
bit visit;
byte sent, received;

active proctype sender()
{	bit sign, answer;
	xs line;
	xr back;

	do
	:: visit = 1;
	   visit = 0;
	   if
	   :: line!sign(sent)
	   :: skip			/* lost */
	   fi;
	   do
	   :: back?answer ->
		if
		:: answer == sign -> sign = 1 - sign; sent = (sent + 1) % DATA; break
		:: else
		fi
	   :: timeout -> break
	   od
	od
}

active proctype receiver()
{	bit sign, expected;
	byte message;
	xr line;
	xs back;

end:	do
	:: line?sign(message) ->
		if
		:: sign == expected ->
			assert(message == received);
			received = (received + 1) % DATA;
			expected = 1 - expected
		:: else
		fi;
		if
		:: back!sign
		:: skip			/* lost */
		fi
	od
}

ltl again { []<> (visit == 1) }
ltl once { [] (received == sent || received == (sent + 1) % DATA) }
