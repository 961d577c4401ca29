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
