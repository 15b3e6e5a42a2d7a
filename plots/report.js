// Tables that a click on a title sorts: up, then down. Without this script they are as they were written.
(function () {
    "use strict";
    const units = {
        ns: 1, us: 1e3, "\u00b5s": 1e3, ms: 1e6, s: 1e9, B: 1, kB: 1e3, KB: 1e3, KiB: 1024, MB: 1e6,
        MiB: 1048576, GB: 1e9, GiB: 1073741824, k: 1e3, K: 1e3, M: 1e6, G: 1e9, "%": 1,
    };
    const number = /^[\s~<>=*+\[(!-]*?([-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)\s*([a-zA-Z\u00b5%]+)?/;
    const interval = /^\[?\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(?:\.\.|to|,|\s)\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\]?/;

    // The number that a text begins with, in the base unit; null where it begins with none.
    function value(text) {
        const found = number.exec(text);
        if (!found) return null;
        return parseFloat(found[1].replace(/,/g, "")) * (units[found[2]] || 1);
    }
    const text = (row, c) => (row.cells[c] ? row.cells[c].textContent.trim() : "");
    const empty = (t) => t === "" || t === "-" || t === "nan";

    // Rows, each with its notes.
    function groups(body) {
        const found = [];
        for (const row of body.rows) {
            if (row.classList.contains("note") && found.length) found[found.length - 1].push(row);
            else found.push([row]);
        }
        return found;
    }

    // An interval is sorted by its estimate: the nearest column of numbers before it.
    function keyColumn(rows, c) {
        const told = (k, test) => {
            const texts = rows.map((g) => text(g[0], k)).filter((t) => !empty(t));
            return texts.length > 0 && texts.every(test);
        };
        const isInterval = (t) => interval.test(t) && (t[0] === "[" || t.includes(".."));
        if (!told(c, isInterval)) return c;
        for (let k = c - 1; k > 0; k--)
            if (told(k, (t) => value(t) !== null || /^[a-z]+$/.test(t)) && !told(k, isInterval)) return k;
        return c;
    }

    function sort(head) {
        const table = head.closest("table"), body = table.tBodies[0], rows = groups(body);
        const up = head.getAttribute("aria-sort") !== "ascending";
        const c = keyColumn(rows, Number(head.dataset.c));
        const texts = rows.map((g) => text(g[0], c)).filter((t) => !empty(t));
        const numeric = 2 * texts.filter((t) => value(t) !== null).length > texts.length;
        const key = (group) => {
            const t = text(group[0], c);
            return empty(t) ? null : numeric ? value(t) : t;
        };
        const keyed = rows.map((group, i) => ({ group, i, key: key(group) }));
        keyed.sort((a, b) => {
            if (a.key === null || b.key === null)
                return (a.key === null) - (b.key === null) || a.i - b.i;
            const order = numeric ? a.key - b.key : a.key.localeCompare(b.key, "en", { numeric: true });
            return (up ? order : -order) || a.i - b.i;
        });
        for (const { group } of keyed) body.append(...group);
        for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
    }

    for (const head of document.querySelectorAll("th[data-c]")) {
        head.classList.add("sorts");
        head.tabIndex = 0;
        head.title = "sort";
        head.addEventListener("click", () => sort(head));
        head.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            sort(head);
        });
    }
})();
