/* A data transfer protocol: two users, an entity at the side of each, and the line between the entities.
 *
 * The first user asks for a connection, which the second one accepts or refuses. Then the first sends data, as many
 * messages as it likes up to MESSAGES, of which WINDOW may be without an answer; the second may close the connection at
 * any time, the first when it is done. Both may do so at once. The line keeps the order and loses nothing.
 *
 * MESSAGES  data in one connection                  (4)
 * WINDOW    messages without an answer              (2)
 * ROOM      messages that fit between user and entity (1)
 *
 * again:  connections are asked for again and again.
 * within: never more than WINDOW messages are without an answer.
 */
#ifndef MESSAGES
#define MESSAGES 4
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef ROOM
#define ROOM 1
#endif

mtype = { CONNECT, ACCEPTED, REFUSED, DATA, RECEIPT, CLOSE, CLOSED };

chan ask = [ROOM] of { mtype };		/* first user to its entity */
chan tell = [ROOM] of { mtype };
chan there = [WINDOW + 1] of { mtype };	/* first entity to second */
chan back = [WINDOW + 2] of { mtype };
chan indicate = [ROOM] of { mtype };	/* second entity to its user */
chan respond = [ROOM] of { mtype };
bit visit;
byte open;				/* messages without an answer */

active proctype first_user()
{	byte sent;
	mtype kind;
	xs ask;
	xr tell;

	do
	:: visit = 1;
	   visit = 0;
	   ask!CONNECT;
	   tell?kind;
	   if
	   :: kind == ACCEPTED ->
		do
		:: sent < MESSAGES -> ask!DATA; sent++
		:: ask!CLOSE; break
		od;
		do
		:: tell?kind ->
			if
			:: kind == CLOSED -> break
			:: else
			fi
		od
	   :: else
	   fi;
	   sent = 0
	od
}

active proctype first_entity()
{	mtype kind;
	bit closed;
	xr ask;
	xs tell;
	xs there;
	xr back;

end:	do
	:: ask?CONNECT ->
		there!CONNECT;
		back?kind;
		tell!kind;
		if
		:: kind == ACCEPTED ->
			do
			:: open < WINDOW ->
				ask?kind;
				if
				:: kind == DATA && !closed -> open++; there!DATA
				:: kind == DATA && closed
				:: kind == CLOSE -> break
				fi
			:: back?RECEIPT -> open--
			:: back?CLOSE -> closed = 1; open = 0
			od;
			there!CLOSE;
			do
			:: back?kind ->
				if
				:: kind == CLOSED -> break
				:: else
				fi
			od;
			open = 0;
			closed = 0;
			tell!CLOSED
		:: else
		fi
	od
}

active proctype second_entity()
{	mtype kind;
	xr there;
	xs back;
	xs indicate;
	xr respond;

end:	do
	:: there?kind ->
		if
		:: kind == CONNECT -> indicate!CONNECT
		:: kind == DATA -> indicate!DATA
		:: kind == CLOSE -> indicate!CLOSE
		fi
	:: respond?kind -> back!kind
	od
}

active proctype second_user()
{	mtype kind;
	bit closing;
	xr indicate;
	xs respond;

end:	do
	:: indicate?CONNECT ->
		if
		:: respond!REFUSED
		:: respond!ACCEPTED;
		   do
		   :: indicate?DATA ->
			if
			:: closing
			:: !closing -> respond!RECEIPT
			fi
		   :: !closing -> closing = 1; respond!CLOSE
		   :: indicate?CLOSE -> respond!CLOSED; break
		   od;
		   closing = 0
		fi
	od
}

ltl again { []<> (visit == 1) }
ltl within { [] (open <= WINDOW) }
