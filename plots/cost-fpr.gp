# False-positive rate against the cost of a lookup, one panel a footprint.
title = "False-positive rate against the cost of a lookup"
legend = "Batches of absent keys, 95 % interval; rates predicted. Grey: the front, which no design beats in both. The labels there show the bits per key."
scale = 100
y_is_log = 1
y_format = "%g %%"
x_name = "ns a lookup"
said = "see = sprintf('Lower left is better: fewer false positives in less time. In %s from %s (%.2g ns, %.2g %%) to %s (%.2g ns, %.2g %%)', place_name, short(fastest), fastest_ns, fastest_value, short(exactest), exactest_ns, exactest_value)"
load scripts."/fronts.gp"
