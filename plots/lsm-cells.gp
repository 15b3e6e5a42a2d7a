# What a query costs, a row for each cell, or for each of its lookups.
device = ""
stats data skip 1 using (device = strcol(7), 0) nooutput
title = "Cost of a query"
legend = sprintf("CPU and reads as on device '%s'. Line: 95 %% interval. Cross: CPU alone, where it was timed.", device)
better = "Further left is better."
stats data skip 1 using 3 name "U" nooutput
factor = U_max < 2e3 ? 1 : U_max < 2e6 ? 1e-3 : U_max < 2e9 ? 1e-6 : 1e-9
xname = U_max < 2e3 ? "ns" : U_max < 2e6 ? "us" : U_max < 2e9 ? "ms" : "s"
said(x) = duration(x)
shows_reference = 0
shows_zero = 0
load scripts."/cells.gp"
