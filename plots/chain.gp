# Latency: what a lookup costs that waits for the answer before, one panel a design.
title = "Latency of a lookup against the footprint of the filter"
legend = "Each lookup waits for the answer before; absent keys, 95 % interval. Grey: up to the yardsticks' chains. Thin: the other designs.\nInside the grey: a predicted early exit lets the next lookup start before the answer is there: no latency."
load scripts."/footprints.gp"
