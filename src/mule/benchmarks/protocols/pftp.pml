/* A file transfer in layers: a user, the protocol at the user's side, a line with flow control, and a file server.
 *
 * The user asks for a file; the protocol opens it at the server, which refuses or answers with its blocks, one at a time
 * as the window allows, and closes it after the last. The user may give up at any time; then the server is told to stop,
 * and what it sent meanwhile is thrown away.
 *
 * BLOCKS  blocks of a file                         (4)
 * WINDOW  blocks that may be under way             (2)
 * ROOM    messages that fit into a channel         (2)
 *
 * again:  transfers begin again and again.
 * whole:  a transfer that is done has brought every block.
 */
#ifndef BLOCKS
#define BLOCKS 4
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef ROOM
#define ROOM 2
#endif

mtype = { GET, STOP, DONE, OPEN, ACCEPT, REFUSE, BLOCK, CREDIT, CLOSE, ABORT, ABORTED };

chan from_user = [ROOM] of { mtype };
chan to_user = [ROOM] of { mtype };
chan to_server = [ROOM + WINDOW] of { mtype };
chan from_server = [ROOM + WINDOW] of { mtype, byte };
bit visit, done;
byte blocks;				/* of this transfer, at the user's side */

active proctype user()
{	mtype kind;
	xs from_user;
	xr to_user;

	do
	:: visit = 1;
	   visit = 0;
	   from_user!GET;
	   if
	   :: to_user?kind
	   :: from_user!STOP; to_user?kind	/* STOP may come too late */
	   fi
	od
}

active proctype client()
{	mtype kind;
	byte block;
	xr from_user;
	xs to_user;
	xs to_server;
	xr from_server;

end:	do
	:: from_user?STOP			/* too late: there was an answer already */
	:: from_user?GET ->
		blocks = 0;
		to_server!OPEN;
		do
		:: from_server?kind(block) ->
			if
			:: kind == BLOCK ->
				assert(block == blocks);
				blocks++;
				to_server!CREDIT
			:: kind == CLOSE ->
				done = 1;
				done = 0;
				to_user!DONE;
				break
			:: kind == REFUSE ->
				to_user!REFUSE;
				break
			:: else
			fi
		:: from_user?STOP ->
			to_server!ABORT;
			do
			:: from_server?kind(block) ->
				if
				:: kind == ABORTED -> break
				:: else
				fi
			od;
			to_user!ABORTED;
			break
		od
	od
}

active proctype server()
{	byte next, credit;
	mtype kind;
	xr to_server;
	xs from_server;

end:	do
	:: to_server?kind ->
		if
		:: kind == OPEN -> from_server!REFUSE(0)
		:: kind == OPEN ->
			from_server!ACCEPT(0);
			next = 0;
			credit = WINDOW;
			do
			:: next < BLOCKS && credit > 0 -> from_server!BLOCK(next); next++; credit--
			:: next == BLOCKS -> from_server!CLOSE(0); break
			:: to_server?CREDIT -> credit++
			:: to_server?ABORT -> from_server!ABORTED(0); break
			od;
			next = 0;
			credit = 0
		:: kind == ABORT -> from_server!ABORTED(0)
		:: kind == CREDIT
		fi
	od
}

ltl again { []<> (visit == 1) }
ltl whole { [] (done == 1 -> blocks == BLOCKS) }
