# Memory that a build holds against its time, one panel a footprint.
title = "What a build costs"
legend = "Builds from keys, hashing included, 95 % interval. Bytes a key that the build holds beside filter and keys when it holds most. Grey: the front, which no design beats in both. The labels there show the bits per key. x2: a build took two attempts."
scale = 1
tells_tries = 1 # column 12
y_is_log = 0
y_format = "%g B"
x_name = "ns a key"
said = "see = fastest eq exactest ? sprintf('Lower left is better: less memory in less time. In %s %s leads in both (%.2g ns, %.3g B a key)', place_name, short(fastest), fastest_ns, exactest_value) : sprintf('Lower left is better: less memory in less time. In %s from %s (%.2g ns, %.3g B a key) to %s (%.2g ns, %.3g B a key)', place_name, short(fastest), fastest_ns, fastest_value, short(exactest), exactest_ns, exactest_value)"
load scripts."/fronts.gp"
