"""The same search, shared out over the machines of a Ray cluster.

    partition     one worker's share of the states: it takes what others send, steps, and sends what it does not own
    termination   when nobody has anything left to do, and nothing is under way
    leading       the loop around all of them: limits, progress, cuts, the end
    cuts          what partitions write, and what the leader knows of it when everything else is gone
    merging       one result of many, and one trail over all of them
    assignment    what travels to a worker: the recipe of the model, and what is asked
    in_process    all partitions in this process, in any order: for tests, and to count messages
    places        which machines the partitions go to, and how many threads each has there
    connection    Ray itself: how it is started, found, and left
    actor         one actor of a Ray cluster, with its partition
    on_ray        all of them, and the searches that they do

Only the last three know Ray.
"""
