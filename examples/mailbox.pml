/* A client asks, a server answers; the line between them may lose the question. */

mtype = { ask, answer };

chan to_server = [1] of { mtype };
chan to_client = [1] of { mtype };
bool waiting;

active proctype Client()
{
end:	do
	:: atomic { to_server!ask; waiting = true };
	   if
	   :: to_client?answer -> waiting = false
	   :: timeout -> waiting = false	/* the question was lost: ask again */
	   fi
	od
}

active proctype Server()
{
end:	do
	:: to_server?ask -> assert(waiting); to_client!answer
	:: to_server?ask				/* lost */
	od
}

ltl answered { [] (waiting -> <> !waiting) }
