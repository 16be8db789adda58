from tests.relations.small_models import *  # noqa
