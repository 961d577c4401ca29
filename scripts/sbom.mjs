import { createHash } from 'node:crypto';

/**
 * What is in a bundle, as CycloneDX: of the list that `npm sbom` makes of all that is installed, the packages that are bundled, and
 * Node.js. The same input gives the same text.
 */
export function listComponents(sbom, packages, { name, version, node, seconds }) {
  const names = new Set(packages.map(({ name, version: of }) => `${name}@${of}`));
  const bundled = sbom.components.filter((component) => names.has(fullName(component)));
  const found = new Set(bundled.map(fullName));
  const missing = [...names].filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`npm sbom does not list ${missing.join(', ')}`);
  const components = [
    ...bundled.map((component) => ({ ...component, scope: 'required', properties: [] })),
    {
      'bom-ref': `pkg:generic/node@${node}`,
      type: 'platform',
      name: 'node',
      version: node,
      purl: `pkg:generic/node@${node}`,
      licenses: [{ license: { id: 'MIT' } }],
      externalReferences: [{ type: 'website', url: 'https://nodejs.org/' }],
    },
  ];
  const { component: about } = sbom.metadata;
  const refs = new Set(components.map((component) => component['bom-ref']));
  return {
    ...sbom,
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, seconds, [...refs]]))}`,
    metadata: {
      ...sbom.metadata,
      timestamp: new Date(seconds * 1000).toISOString(),
      component: { ...about, name, type: 'application' },
    },
    components,
    dependencies: [{ ref: about['bom-ref'], dependsOn: [...refs].sort() }],
  };
}

function fullName({ group, name, version }) {
  return `${group === undefined || name.startsWith('@') ? '' : `${group}/`}${name}@${version}`;
}

/** A UUID (version 8) from a text. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
