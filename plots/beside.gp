# Names beside the right edge of a panel, none over another, each with its mark and a thin line to its
# point. The calling figure fills, for i from 1 to n_beside, beside_x[i] and beside_y[i] (where on the
# axes the point is, 0 to 1), beside_text[i], beside_colour[i], beside_point[i] and
# beside_dash[i], and sets panel_width and panel_height in pixels. Sets labels and arrows from 200 on;
# `unbeside` takes them away.
row_height = n_beside * 18 > panel_height ? 1. * panel_height / n_beside : 18
gap = 1. * row_height / panel_height
array beside_order[n_beside]
array beside_at[n_beside]
do for [i=1:n_beside] { beside_order[i] = i }
higher(a, b) = beside_y[a] > beside_y[b] || (beside_y[a] == beside_y[b] && beside_x[a] > beside_x[b])
do for [i=2:n_beside] {
    do for [j=i:2:-1] {
        if (higher(beside_order[j], beside_order[j-1])) {
            swapped = beside_order[j]
            beside_order[j] = beside_order[j-1]
            beside_order[j-1] = swapped
        }
    }
}
# Least squares from where the points are: neighbours that would touch move apart about their mean.
array beside_sum[n_beside]
array beside_count[n_beside]
blocks = 0
do for [i=1:n_beside] {
    blocks = blocks + 1
    beside_sum[blocks] = beside_y[beside_order[i]] + i * gap
    beside_count[blocks] = 1
    while (blocks > 1 && beside_sum[blocks] / beside_count[blocks] > beside_sum[blocks > 1 ? blocks - 1 : 1] / beside_count[blocks > 1 ? blocks - 1 : 1]) {
        beside_sum[blocks-1] = beside_sum[blocks-1] + beside_sum[blocks]
        beside_count[blocks-1] = beside_count[blocks-1] + beside_count[blocks]
        blocks = blocks - 1
    }
}
placed = 0
do for [b=1:blocks] {
    do for [j=1:beside_count[b]] {
        placed = placed + 1
        wanted = beside_sum[b] / beside_count[b] - placed * gap
        wanted = wanted > 1 - (placed - 1) * gap ? 1 - (placed - 1) * gap : wanted
        beside_at[placed] = wanted < (n_beside - placed) * gap ? (n_beside - placed) * gap : wanted
    }
}
do for [i=1:n_beside] {
    k = beside_order[i]
    at = 1 + 34. / panel_width
    set label 200+i beside_text[k] at graph at,beside_at[i] left \
        point pointtype beside_point[k] pointsize 0.9 linecolor rgb beside_colour[k] \
        offset 2.2,0 font sprintf(",%d", row_height < 14 ? 9 : 11) textcolor rgb ink noenhanced
    set arrow 200+i from graph beside_x[k],beside_y[k] to graph at - 14. / panel_width,beside_at[i] nohead \
        linecolor rgb 0xb0000000 + beside_colour[k] linewidth 0.6
    set arrow 300+i from graph at - 14. / panel_width,beside_at[i] to graph at + 14. / panel_width,beside_at[i] \
        nohead linecolor rgb beside_colour[k] linewidth 1.4 dashtype beside_dash[k]
}
unbeside = 'do for [i=1:n_beside] { unset label 200+i; unset arrow 200+i; unset arrow 300+i }'
