/** The style of the page: light and dark, on a phone, and printed. */
export const STYLE = `
:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#57606a;--line:#d0d7de;--box:#f6f8fa;--add:#116329;--del:#a40e26;--mod:#7d4e00;--addbg:#e6ffec;--delbg:#ffebe9;--modbg:#fff8c5;--accent:#0550ae}
@media (prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--soft:#a6b0ba;--line:#3d444d;--box:#161b22;--add:#7ee787;--del:#ffa198;--mod:#e3b341;--addbg:#12261e;--delbg:#301317;--modbg:#2b2111;--accent:#79c0ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:1rem 1.25rem 4rem;font:1rem/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875rem}
a{color:var(--accent)}
.tone{border-left:.4rem solid var(--line);padding-left:.75rem}
.calm{border-color:var(--add)}.review{border-color:var(--accent)}.warning{border-color:var(--mod)}.alarm{border-color:var(--del)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}
dt{color:var(--soft)}dd{margin:0}
.box{border:1px solid var(--line);border-radius:.4rem;padding:.25rem 1rem;margin:1rem 0;background:var(--box)}
.box.problems,.box.lost-protection,.box.weaker-protection{border-color:var(--del)}.box.protection-gaps,.box.risks{border-color:var(--mod)}
.box ul{padding-left:1.1rem}
.effects{color:var(--soft);margin:.25rem 0 .5rem}
.entries>div{border-top:1px solid var(--line);padding:.35rem 0}
summary{cursor:pointer}summary h2{display:inline-block}
.sign{display:inline-block;min-width:1.5rem;text-align:center;font-weight:700}
.create .sign,.add{color:var(--add)}.delete .sign,.replace .sign,.del{color:var(--del)}.update .sign,.mod{color:var(--mod)}
.note,.place,.soft{color:var(--soft)}
pre{margin:.4rem 0 .6rem 1.5rem;padding:.5rem .75rem;background:var(--box);border-radius:.4rem;overflow-x:auto;white-space:pre-wrap}
pre span{display:block}pre .add{background:var(--addbg)}pre .del{background:var(--delbg)}pre .mod{background:var(--modbg)}
form{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:end;position:sticky;top:0;z-index:1;background:var(--bg);padding:.6rem 0;border-bottom:1px solid var(--line)}
form label,fieldset{display:flex;flex-direction:column;font-size:.875rem;color:var(--soft)}
fieldset{border:0;margin:0;padding:0;flex-direction:row;flex-wrap:wrap;gap:.25rem .75rem}
fieldset label{flex-direction:row;gap:.3rem;align-items:center}
legend{padding:0;font-size:.875rem}
input,select,button{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:.3rem;padding:.25rem .5rem;max-width:16rem}
:focus-visible{outline:.15rem solid var(--accent);outline-offset:.1rem}
[hidden]{display:none!important}
table{border-collapse:collapse}th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--line)}td.n,th.n{text-align:right}
.scroll{overflow-x:auto}
svg text{font:.8125rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--fg)}
svg rect{fill:var(--box);stroke:var(--line)}svg .create rect{stroke:var(--add)}svg .delete rect,svg .replace rect{stroke:var(--del)}svg .update rect{stroke:var(--mod)}
svg path{fill:none;stroke:var(--soft)}
@media print{form{display:none}details>*{display:block}.entries>div{break-inside:avoid}body{max-width:none}}
`;

/** Filters the objects of the page. Without it the page shows all of them. */
export const SCRIPT = `
(() => {
  const form = document.querySelector('form');
  if (!form) return;
  const sections = [...document.querySelectorAll('section.objects')];
  const items = sections.flatMap((section) =>
    [...section.querySelectorAll('[data-k]')].map((item) => ({
      item,
      section,
      text: item.textContent.toLowerCase(),
      kinds: item.dataset.k.split('\\n'),
      clusters: item.dataset.v.split('\\n'),
    })),
  );
  const shown = document.getElementById('shown');
  const value = (name) => form.elements[name].value;
  const filter = () => {
    const words = value('text').toLowerCase().split(' ').filter(Boolean);
    const kind = value('kind');
    const cluster = value('cluster');
    const actions = new Set([...form.querySelectorAll('[name=action]:checked')].map((one) => one.value));
    const counts = new Map();
    for (const { item, section, text, kinds, clusters } of items) {
      const isShown =
        actions.has(section.id) &&
        (kind === '' || kinds.includes(kind)) &&
        (cluster === '' || clusters.includes(cluster)) &&
        words.every((word) => text.includes(word));
      item.hidden = !isShown;
      if (isShown) counts.set(section, (counts.get(section) ?? 0) + 1);
    }
    let sum = 0;
    for (const section of sections) {
      const count = counts.get(section) ?? 0;
      section.hidden = count === 0;
      sum += count;
    }
    shown.textContent = sum + ' of ' + items.length + ' shown';
  };
  let waiting = 0;
  form.addEventListener('input', () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(filter);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(filter));
  document.getElementById('fold').addEventListener('click', (event) => {
    const open = event.target.dataset.open !== 'true';
    event.target.dataset.open = String(open);
    event.target.textContent = open ? 'Fold all' : 'Unfold all';
    for (const { item } of items) if (!item.hidden) item.querySelector('details')?.toggleAttribute('open', open);
  });
  form.hidden = false;
  filter();
})();
`;
