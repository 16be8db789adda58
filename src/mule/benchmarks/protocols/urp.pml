/* A universal receiver protocol: blocks of cells, each closed by a trailer with the number of the block, over a line
 * that loses cells and trailers. One receiver serves senders that send one block at a time or several.
 *
 * The receiver counts cells; a trailer is good if its block is the next one and complete. It answers a good trailer with
 * ACK and any other with REJ, both with the number of the last good block; an enquiry, which the sender makes when
 * nothing happens any more, is answered with REJ as well. After REJ the sender goes back to the first block in doubt.
 *
 * CELLS   cells of a block                         (1)
 * WINDOW  blocks that may be under way             (2)
 * BLOCKS  numbers of blocks, more than WINDOW      (4)
 * ROOM    items that fit into a channel            (2)
 *
 * again: blocks are sent, or the receiver is asked, again and again.
 */
#ifndef CELLS
#define CELLS 1
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
#ifndef ROOM
#define ROOM 2
#endif

mtype = { CELL, TRAILER, ENQ, ACK, REJ };

chan line = [ROOM] of { mtype, byte };
chan back = [ROOM] of { mtype, byte };
bit visit;

#define ahead(x, y) ((BLOCKS + x - y) % BLOCKS)

active proctype sender()
{	byte first;			/* the first block in doubt */
	byte next;			/* the next block to send */
	byte cells, number;
	mtype kind;
	xs line;
	xr back;

	do
	:: ahead(next, first) < WINDOW ->
		visit = 1;
		visit = 0;
		cells = 0;
		do
		:: cells < CELLS ->
			cells++;
			if
			:: line!CELL(next)
			:: skip			/* lost */
			fi
		:: else -> break
		od;
		if
		:: line!TRAILER(next)
		:: skip				/* lost */
		fi;
		next = (next + 1) % BLOCKS
	:: back?kind(number) ->
		if
		:: ahead(number, first) < ahead(next, first) -> first = (number + 1) % BLOCKS
		:: else
		fi;
		if
		:: kind == REJ -> next = first
		:: else
		fi
	:: timeout ->
		visit = 1;
		visit = 0;
		line!ENQ(0)
	od
}

active proctype receiver()
{	byte good = BLOCKS - 1;		/* the last good block */
	byte cells, number;
	xr line;
	xs back;

end:	do
	:: line?CELL(number) ->
		if
		:: cells <= CELLS -> cells++
		:: else
		fi
	:: line?TRAILER(number) ->
		if
		:: number == (good + 1) % BLOCKS && cells == CELLS ->
			good = number;
			cells = 0;
			if
			:: back!ACK(good)
			:: skip			/* lost */
			fi
		:: else ->
			cells = 0;
			if
			:: back!REJ(good)
			:: skip			/* lost */
			fi
		fi
	:: line?ENQ(_) ->
		cells = 0;
		back!REJ(good)
	od
}

ltl again { []<> (visit == 1) }
