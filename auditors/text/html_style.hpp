// The style sheet of HTML reports. Private to document_page.cpp.
//
// Each colour is a property, with a value for light and one for dark screens. Text has a contrast of at least 4.5 to 1
// with its ground, and lines and marks of figures 3 to 1. tests/cli/pages_test.cpp measures both.
#pragma once

#include <string_view>

namespace assay::detail {

inline constexpr std::string_view kHtmlStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2126; --soft: #59616b; --line: #dde1e5;
  --shade: #f4f6f8; --link: #005a96; --frame: #838b94; --grey: #6f7780; --orange: #c08000;
  --sky: #3093d1; --green: #008a63; --blue: #0063a6; --vermillion: #cc4b00; --purple: #b35a90;
  --good: #00664b; --bad: #a83200; --weak: #85560a; --info: #005a8e; --dull: #5a5f66; }
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
h1, h2, h3, p, li, caption, figcaption, summary, footer { overflow-wrap: anywhere; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5; font-size: 15px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif; }
main { max-width: 1048px; margin: 0 auto; padding: 28px 24px; }
nav { display: none; }
h1 { font-size: 1.55em; line-height: 1.35; margin: 0 0 12px; letter-spacing: -0.01em; }
h2 { font-size: 1.2em; line-height: 1.35; margin: 40px 0 10px; padding-top: 16px;
  border-top: 1px solid var(--line); }
h3 { font-size: 1em; margin: 22px 0 6px; }
p { margin: 8px 0; max-width: 76ch; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: 0.9em; overflow-wrap: anywhere; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px;
  padding: 10px 14px; white-space: pre-wrap; margin: 10px 0; }
.option { white-space: nowrap; }
.verdict { display: inline-block; padding: 2px 12px; border-radius: 5px; color: #fff;
  font-weight: bold; }
.violated { background: var(--bad); }
.verified { background: var(--good); }
.not-refuted { background: var(--info); }
.inconclusive { background: var(--weak); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr) max-content minmax(0, 1fr);
  gap: 5px 18px; margin: 12px 0; }
dl > div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; row-gap: 2px; }
dl > .short { grid-column: span 2; }
dt { color: var(--soft); grid-column: 1; max-width: 34ch; overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0; grid-column: 2 / -1; max-width: 92ch; }
.words { font-size: 0.93em; }
.tiles dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr));
  gap: 12px; margin: 16px 0 20px; }
.tiles dl > div { display: block; grid-column: auto; padding: 12px 16px 13px; border-radius: 8px;
  border: 1px solid var(--line); border-top: 4px solid var(--frame); background: var(--shade);
  --tone: var(--ink); }
.tiles dl > .good { border-top-color: var(--good-line, var(--good)); --tone: var(--good-text, var(--good)); }
.tiles dl > .bad { border-top-color: var(--bad-line, var(--bad)); --tone: var(--bad-text, var(--bad)); }
.tiles dl > .weak { border-top-color: var(--weak-line, var(--weak)); --tone: var(--weak-text, var(--weak)); }
.tiles dt, .tiles dd { font-size: 0.87em; color: var(--soft); max-width: none; }
.tiles .value { font-size: 1.65em; line-height: 1.3; font-weight: bold; color: var(--tone);
  font-variant-numeric: tabular-nums; }
.tiles dl > .large { grid-column: 1 / -1; }
.tiles .large .value { font-size: 2.8em; line-height: 1.2; }
.tiles .large dd { font-size: 1em; }
.wide { overflow-x: auto; background:
    linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 40px 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 40px 100% no-repeat local,
    linear-gradient(to right, var(--line), transparent) 0 0 / 8px 100% no-repeat scroll,
    linear-gradient(to left, var(--line), transparent) 100% 0 / 8px 100% no-repeat scroll; }
table { border-collapse: collapse; margin: 8px 0; font-size: 0.93em; }
caption { text-align: left; color: var(--soft); padding: 4px 0; }
caption span { display: block; position: sticky; left: 0; max-width: calc(100vw - 2rem);
  width: fit-content; }
th, td { padding: 6px 18px 6px 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-bottom: 1px solid var(--frame); white-space: nowrap; color: var(--soft);
  font-weight: 600; }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody th { font-weight: normal; white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px 32px; }
.pair dl { grid-template-columns: max-content minmax(0, 1fr); }
.pair h3 { margin-top: 8px; }
figure { margin: 14px 0; min-width: 0; }
figure > svg { display: block; width: 100%; height: auto; max-width: 1000px; }
figure > svg.narrow { display: none; max-width: 480px; }
svg.bar { display: block; margin: 2px 0; max-width: 100%; }
figcaption { color: var(--soft); font-size: 0.9em; margin-top: 8px; max-width: 88ch; }
figcaption details { margin: 2px 0 0; font-size: 1em; }
details { margin: 8px 0; font-size: 0.93em; }
summary { cursor: pointer; color: var(--link); width: fit-content; }
a { color: inherit; text-decoration: underline dotted; text-underline-offset: 3px; }
a:hover, summary:hover { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
ul { padding-left: 20px; margin: 8px 0; max-width: 80ch; }
li { margin: 3px 0; }
td .verdict, p .verdict { white-space: nowrap; font-size: 0.93em; }
.soft { color: var(--soft); font-size: 0.93em; font-weight: normal; }
footer { color: var(--soft); font-size: 0.87em; margin-top: 40px; padding-top: 12px;
  border-top: 1px solid var(--line); }
@media screen and (min-width: 1280px) {
  body { display: grid; grid-template-columns: 208px minmax(0, 1048px); justify-content: center; }
  main { grid-column: 2; margin: 0; width: 100%; }
  nav { display: block; position: sticky; top: 0; align-self: start; max-height: 100vh;
    overflow-y: auto; padding: 34px 0 24px 24px; font-size: 0.87em; line-height: 1.4; }
  nav ol { list-style: none; margin: 0; padding: 0; border-left: 2px solid var(--line);
    scroll-target-group: auto; animation: scrolled linear; animation-timeline: scroll(root); }
  nav li { margin: 0; }
  nav a { display: block; padding: 5px 8px 5px 14px; margin-left: -2px; color: var(--soft);
    text-decoration: none; border-left: 2px solid transparent; overflow-wrap: anywhere; }
  nav a:hover { color: var(--link); }
  nav a:target-current { color: var(--here, var(--soft)); border-left-color: var(--here, transparent); }
}
/* A page that does not scroll has no place in it: the timeline is then inactive. */
@keyframes scrolled { from, to { --here: var(--link); } }
@media screen and (max-width: 940px) {
  figure > svg { display: none; }
  figure > svg.narrow { display: block; }
}
@media screen and (max-width: 740px) {
  main { padding: 16px 14px; }
  h1 { font-size: 1.3em; }
  h2 { margin-top: 30px; }
  .pair { grid-template-columns: minmax(0, 1fr); }
  dl, .pair dl { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 8px 14px; }
  dl > div, .pair dl > div { display: block; grid-column: 1 / -1; }
  dl > .tiny, .pair dl > .tiny { grid-column: auto; }
  .wide table { width: max-content; max-width: 1240px; }
  .stacked table { width: 100%; }
  .stacked table, .stacked tbody, .stacked tr, .stacked th, .stacked td, .stacked caption { display: block; }
  .stacked thead { display: none; }
  .stacked tbody tr { padding: 8px 0; border-bottom: 1px solid var(--frame); }
  .stacked tbody tr > * { border: 0; padding: 2px 0; text-align: left; white-space: normal;
    overflow-wrap: anywhere; }
  .stacked tbody th { font-weight: 600; }
  .stacked tbody td[data-label] { display: flow-root; padding-left: 116px; }
  .stacked td[data-label]::before { content: attr(data-label); color: var(--soft); float: left;
    width: 104px; margin-left: -116px; overflow-wrap: anywhere; }
  .stacked td:empty { display: none; }
  dt { font-size: 0.87em; }
  .tiles dl { grid-template-columns: repeat(auto-fit, minmax(min(100%, 150px), 1fr)); gap: 10px; }
  .tiles dl > div { grid-column: auto; padding: 10px 12px; }
  .tiles dl > div:first-child:nth-last-child(odd) { grid-column: 1 / -1; }
  .tiles .value { font-size: 1.4em; }
  .tiles .large .value { font-size: 2.1em; }
}
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #14171a; --ink: #e6e8ea; --soft: #a8b0b8; --line: #343b42; --shade: #1d2126;
    --link: #7cc0ee; --frame: #7d868f; --grey: #949da6; --orange: #f0ad33; --sky: #79c3f2;
    --green: #35c596; --blue: #4a9de0; --vermillion: #ff8552; --purple: #dc8fbb;
    --good-line: #35c596; --good-text: #4ecb9f; --bad-line: #ff8552; --bad-text: #ff8a5c;
    --weak-line: #e3a93c; --weak-text: #e3a93c; }
}
@media print {
  :root { color-scheme: light; }
  @page { margin: 14mm; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .wide { overflow: visible; background: none; }
  .pair figure > svg { display: none; }
  .pair figure > svg.narrow { display: block; }
  h2 { break-after: avoid; margin-top: 18px; }
  figure, tr, dl > div, pre { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .verdict, .tiles dl > div { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace assay::detail
