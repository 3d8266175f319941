// The style sheet of HTML reports. Private to document_page.cpp.
#pragma once

#include <string_view>

namespace assay::detail {

inline constexpr std::string_view kHtmlStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --soft: #555; --line: #ddd;
  --shade: #f5f5f5; --link: #005a8e; }
* { box-sizing: border-box; }
h1, h2, h3, p, li, caption, figcaption, summary, footer { overflow-wrap: anywhere; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif;
  font-size: 15px; }
main { max-width: 1112px; margin: 0 auto; padding: 24px; }
h1 { font-size: 1.5em; line-height: 1.3; margin: 10px 0 4px; }
h2 { font-size: 1.2em; margin: 34px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
h3 { font-size: 1em; margin: 18px 0 4px; }
p { margin: 6px 0; max-width: 78ch; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: 0.9em; overflow-wrap: anywhere; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 4px; padding: 10px 12px;
  white-space: pre-wrap; margin: 8px 0; }
.verdict { display: inline-block; padding: 3px 12px; border-radius: 4px; color: #fff;
  font-weight: bold; }
.violated { background: #a83e00; }
.verified { background: #00664b; }
.not-refuted { background: #005a8e; }
.inconclusive { background: #5a5a5a; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 12px 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 8px 0; font-size: 0.93em; }
caption { text-align: left; color: var(--soft); padding: 4px 0; }
caption span { display: block; position: sticky; left: 0; max-width: calc(100vw - 2rem); width: fit-content; }
th, td { padding: 4px 14px 4px 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
thead th { border-bottom: 1px solid var(--soft); white-space: nowrap; }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody th { font-weight: normal; white-space: nowrap; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px 24px; }
figure { margin: 12px 0; min-width: 0; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: 0.9em; margin-top: 6px; max-width: 90ch; }
details { margin: 6px 0; font-size: 0.93em; }
summary { cursor: pointer; color: var(--link); }
a { color: inherit; text-decoration: underline dotted; }
ul { padding-left: 20px; margin: 6px 0; max-width: 82ch; }
td .verdict, p .verdict { white-space: nowrap; font-size: 0.93em; }
.soft { color: var(--soft); font-size: 0.93em; font-weight: normal; }
footer { color: var(--soft); font-size: 0.87em; margin-top: 34px; padding-top: 10px;
  border-top: 1px solid var(--line); }
@media screen and (max-width: 1000px) {
  main { padding: 14px; }
  .pair { grid-template-columns: minmax(0, 1fr); }
  figure svg { min-width: 440px; }
  .full svg { min-width: 900px; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 8px; }
}
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e4e4e4; --soft: #b0b0b0; --line: #44484d; --shade: #22262a;
    --link: #7cc0ee; }
  figure svg { filter: invert(0.9) hue-rotate(180deg); }
}
@media print {
  :root { color-scheme: light; }
  @page { margin: 14mm; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .wide { overflow: visible; }
  .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  figure svg { min-width: 0; }
  h2 { break-after: avoid; margin-top: 18px; }
  figure, tr, dl, pre { break-inside: avoid; }
  details { display: none; }
  .verdict { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace assay::detail
