/* Requests to an object that may move, over connections that may be closed, in the manner of CORBA's GIOP: users hand
   their requests to a broker, which sends them to the server where it believes the object to be. A server that has the
   object replies; one that no longer has it tells where to ask; either may close its connection, and then what had been
   sent and not answered must be sent again.

   USERS     so many users (default 2)
   REQUESTS  so many requests of each (default 1)
   SERVERS   so many servers (default 2); the object moves to each of them once, in turn
   ERROR     the broker does not send again what was pending when a connection was closed: a user waits for ever
             (a deadlock) */

#ifndef USERS
#define USERS 2
#endif
#ifndef REQUESTS
#define REQUESTS 1
#endif
#ifndef SERVERS
#define SERVERS 2
#endif
#define NOWHERE SERVERS

mtype = { request, reply, forward, close };

chan ask = [0] of { byte, byte };				/* a user, and the number of the request */
chan told[USERS] = [1] of { byte };
chan to_server[SERVERS] = [USERS] of { mtype, byte, byte };
chan to_broker = [USERS + SERVERS] of { mtype, byte, byte, byte };	/* ..., from or to which server */
byte home;							/* where the object is */

proctype User(byte me)
{
	byte number, answered;

	do
	:: number < REQUESTS ->
		number++;
		ask!me, number;
		told[me]?answered;
		assert(answered == number)
	:: number == REQUESTS -> break
	od
}

proctype Broker()
{
	byte user, number, server, believed;
	byte pending[USERS] = NOWHERE;
	byte numbers[USERS];

end:	do
	:: ask?user, number ->
		numbers[user] = number;
		pending[user] = believed;
		to_server[believed]!request(user, number)
	:: to_broker?reply(user, number, server) ->
		if
		:: pending[user] != NOWHERE && numbers[user] == number ->
			pending[user] = NOWHERE;
			told[user]!number
		:: else					/* it was asked twice */
		fi
	:: to_broker?forward(user, number, server) ->
		believed = server;
		if
		:: pending[user] != NOWHERE && numbers[user] == number ->
			pending[user] = server;
			to_server[server]!request(user, number)
		:: else
		fi
	:: to_broker?close(_, _, server) ->
		user = 0;
		do
		:: user < USERS ->
			if
			:: pending[user] == server ->
#ifdef ERROR
				pending[user] = NOWHERE
#else
				to_server[server]!request(user, numbers[user])
#endif
			:: else
			fi;
			user++
		:: else -> break
		od
	od
}

proctype Server(byte me)
{
	byte user, number;
	bool closed;

end:	do
	:: to_server[me]?request(user, number) ->
		if
		:: home == me -> to_broker!reply(user, number, me)
		:: home != me -> to_broker!forward(user, number, home)
		fi
	:: home == me && me + 1 < SERVERS -> home = me + 1
	:: !closed && nempty(to_server[me]) ->		/* what has arrived is lost */
		closed = true;
		do
		:: to_server[me]?request(user, number)
		:: empty(to_server[me]) -> break
		od;
		to_broker!close(0, 0, me)
	od
}

init
{
	byte i;

	atomic {
		run Broker();
		do
		:: i < USERS ->
			run User(i);
			i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < SERVERS ->
			run Server(i);
			i++
		:: else -> break
		od
	}
}
