"""Verdicts that say little about the model: properties that hold vacuously, and steps that no run takes.

A property holds vacuously in one of its parts if it holds whatever stands in place of that part (Beer, Ben-David,
Eisner and Rodeh, "Efficient detection of vacuity in temporal model checking", 2001). A part that stands under an even
number of negations can be replaced by false, one under an odd number by true: if the property holds then, it holds with
anything.
"""
