# What a lookup costs against the footprint of its filter: one panel a design, over all the others.
title = "Cost of a lookup against the footprint of the filter"
legend = "Batches of absent keys, 95 % interval. Grey: up to the yardsticks touch-32, touch-64 and fetch. Thin: the other designs."
better = "Lower is faster."
load scripts."/footprints.gp"
