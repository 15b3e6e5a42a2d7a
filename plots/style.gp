# What every figure shares: fonts, grids, headings, and a colour, a mark and a dash for each design.

open_svg = 'set terminal svg noenhanced size width,height dynamic background "#ffffff" font "DejaVu Sans,Verdana,sans-serif,13"; set output picture.".svg"'
open_png = 'set terminal pngcairo noenhanced size width*1.25,height*1.25 fontscale 1.25 linewidth 1.25 pointscale 1.25 background "#ffffff" font "DejaVu Sans,13"; set output picture.".png"'

ink = "#222222"    # text
quiet = "#767676"  # what is not the subject: references, notes
faint = "#e4e4e4"  # grid
wrong = "#d55e00"  # what does not hold

# Okabe and Ito's colours, one for each system. No two designs have the same colour and mark, so that
# a picture without colours tells most apart, and those of one system stand next to each other.
designs = "bloom-independent bloom-double bloom-double-32 bloom-enhanced bloom-64 counting nori nori-disk nori-pow2 fjall-1 fjall-2 fjall-3 fjall-blocked leveldb rocksdb-fastlocal rocksdb-legacy rocksdb-ribbon sbbf-256 sbbf-256-libfilter sbbf-512 sbbf-512-lanes sbbf-512-pow2 course ribbon-homogeneous fuse-8 fuse-16 xor-8 xor-16 cuckoo-12 cuckoo-16 quotient"
colours = "#222222 #222222 #222222 #222222 #222222 #222222 #0072b2 #0072b2 #0072b2 #009e73 #009e73 #009e73 #009e73 #d55e00 #e69f00 #e69f00 #e69f00 #56b4e9 #56b4e9 #cc79a7 #cc79a7 #cc79a7 #8c7a00 #7f3c8d #117733 #117733 #117733 #117733 #882255 #882255 #aa4499"
points = "7 6 2 9 13 3 5 4 2 9 8 1 11 13 11 10 9 15 14 12 10 14 3 9 5 4 2 3 7 6 15"
dashes = "1 2 4 5 3 3 1 2 4 1 2 4 5 1 1 2 4 1 2 1 2 4 5 1 1 2 4 5 1 2 1"
# Designs that are not in the table (a plugin's, a new one), in the order of the results, so that one has
# the same colour in every figure; `result_designs` are all of the results.
others = ""
result_designs = system('printf %s "$FB_DESIGNS"')
other_colours = "#777777 #5e3c99 #a6611a #018571"
other_points = "6 4 8 12 10 14 1 2"
other(name) = (strstrt(" ".others." ", " ".base(name)." ") ? 0 : (others = others." ".base(name), 0), \
    (sum [i=1:words(others)] (word(others, i) eq base(name) ? i : 0)) - 1)
cycled(list, i) = word(list, 1 + int(i) % words(list))

# "nori(B)" is nori in result B: it has the colour of nori, and from B on another mark and dash.
result_of(name) = strstrt(name, "(") ? name[strstrt(name, "("):*] : ""
base(name) = strstrt(name, "(") ? name[1:strstrt(name, "(") - 1] : name
nth(name) = result_of(name) eq "" ? 0 : strstrt("ABCDEFGHIJKLMNOPQRSTUVWXYZ", result_of(name)[2:2]) - 1
place(name) = (sum [i=1:words(designs)] (word(designs, i) eq base(name) ? i : 0))
do for [name in result_designs] { others = others.(place(name) ? "" : " ".name) }
colour_of(name) = rgb(place(name) ? word(colours, place(name)) : cycled(other_colours, other(name)))
mark_of(name) = int(place(name) ? word(points, place(name)) : cycled(other_points, other(name)))
point_of(name) = nth(name) && mark_of(name) > 3 ? 4 + (mark_of(name) - 4 + (nth(name) % 2 ? (mark_of(name) % 2 ? -1 : 1) : 2 * nth(name)) + 12) % 12 : mark_of(name)
dash_of(name) = 1 + int((place(name) ? word(dashes, place(name)) - 1 : int(other(name) / 4)) + nth(name)) % 5
rgb(text) = int("0x".text[2:7])
# Beginning and end of a name that would not fit.
short(name) = strlen(name) > 22 ? name[1:12]."…".name[strlen(name) - 8:*] : name
# The same of a text of n letters.
fit(text, n) = strlen(text) > n ? text[1:n - 22]."…".text[strlen(text) - 20:*] : text

# "2.5 ns", "31 us".
duration(ns) = ns < 999.5 ? sprintf("%.3g ns", ns) : ns < 999.5e3 ? sprintf("%.3g us", 1e-3 * ns) : \
    ns < 999.5e6 ? sprintf("%.3g ms", 1e-6 * ns) : sprintf("%.3g s", 1e-9 * ns)

# Title, subtitle (`see`: what there is to see) and legend (what is drawn how), from the left edge of
# the axes, `left` pixels in. They take `head` pixels, in up to two lines each. No figure is
# narrower than `narrowest`.
head = 136
narrowest = 1060
atleast(pixels) = pixels > narrowest ? pixels : narrowest
space_before(text, n) = n < 1 ? 0 : text[n:n] eq " " ? n : space_before(text, n - 1)
wrap_at(text, n, at) = at < 1 ? text : text[1:at-1]."\n".wrap(text[at+1:*], n)
wrap(text, n) = strlen(text) <= n ? text : wrap_at(text, n, space_before(text, n))
see_wide(text) = wrap(text, int((width - left) / 9.4))
legend_wide(text) = wrap(text, int((width - left) / 8.7))
remark = system('printf %s "$FB_REMARK"') # which size, which result; of a document that nobody checked
picture = system('printf %s "$FB_NAME"')
missing = system('printf %s "$FB_MISSING"')
results = system('printf %s "$FB_RESULTS"') # which file a letter stands for
missing = strlen(missing) > 90 ? " Designs without a value are not drawn." : missing eq "" ? "" : " ".missing
heading = 'set label 1 fit(title.remark, int((width - left) / 11)) at screen 1.*left/width,1-26./height font ",19" textcolor rgb ink noenhanced; set label 2 see_wide(see) at screen 1.*left/width,1-52./height font ",14" textcolor rgb ink noenhanced; set label 9 legend_wide(legend.results.missing) at screen 1.*left/width,1-(strstrt(see_wide(see), "\n") ? 95. : 76.)/height textcolor rgb quiet noenhanced'
headed = 'unset label 1; unset label 2; unset label 9'
# `stats` reads no point outside the ranges: panels set theirs just before they are drawn.
plain = 'unset logscale; set autoscale'

# The distinct texts of a column, in the order in which they come.
seen = ""
note(text) = (strstrt(" ".seen." ", " ".text." ") ? 0 : (seen = seen." ".text, 0))
# The least and the most of what was told since `forget`, and of whom.
forget = 'least = 1e300; most = -1e300; least_of = ""; most_of = ""'
tell(name, x) = (x < least ? (least = x, least_of = name) : 0, x > most ? (most = x, most_of = name) : 0, 0)

# Where x stands on an axis from `low` to `high`, from 0 to 1.
inside01(x) = x < 0 ? 0 : x > 1 ? 1 : x
on_linear(x, low, high) = inside01(1. * (x - low) / (high - low))
on_log(x, low, high) = x > low ? inside01(log(1. * x / low) / log(1. * high / low)) : 0

style = '\
set encoding utf8; \
set datafile separator tab; \
set border 3 linecolor rgb ink linewidth 0.8; \
set tics nomirror scale 0.5 textcolor rgb ink; \
set grid linetype 1 linecolor rgb faint linewidth 0.6; \
unset key; '
