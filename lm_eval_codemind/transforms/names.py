"""The words of names of the sort people give, and the names that Python has itself."""

# ruff: noqa: SIM905

import builtins
import keyword

QUALITIES = """
active amber base border broad calm carry central coarse common cross deep dense early empty equal even extra
final fine first flat full grand half heavy high inner joint key known last late left level light linear
local long loose lower main mean merged middle minor mixed narrow near net next odd open other outer partial
pending plain prime prior quick rear recent right rough round running safe second shared short side simple single
sliding small solid spare stable steep third tight total upper usual valid wide working
""".split()
THINGS = """
anchor balance band bound bucket budget cell chain check chunk code count cursor delta depth digit edge entry
factor field flag frame gap grade grid group guard handle head index item kind label layer length limit line link
lot mark mask match member mode node note offset order page pair part patch path peak piece pivot place
point pool quota rank rate ratio record region result reading row sample scale score seed segment share
shift size slot span stage start state step stock store strand table tail term test tier token total track
turn unit value vector view weight width window word zone
""".split()
ACTIONS = """
adapt adjust advance align apply arrange assign attach balance bind blend build calculate carry chain change
check choose collect combine compare compose compute connect convert count cover derive determine display draw
emit estimate evaluate expand explore extend fetch fill find finish fold follow form gather handle join keep lift
link load locate make map match measure merge mix move obtain order pass perform pick place prepare process
produce provide reach record reduce refine relate repeat resolve restore route run scan select settle shape shift
sort split start step store supply take tally trace track transfer treat turn unite update visit walk weigh wrap
""".split()

RESERVED = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))
