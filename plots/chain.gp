# Latency: what a lookup costs that waits for the answer before, one panel a design.
title = "Latency of a lookup against the footprint of the filter"
legend = "Absent keys, each asked after the answer before; 95 % interval. Thin: the other designs. Grey: up to the yardsticks; in it the next lookup starts before the answer is there."
better = "Lower is a shorter wait for an answer."
load scripts."/footprints.gp"
