import { licensesOf, packagesIn } from '../bundle.mjs';
import { listComponents } from '../sbom.mjs';
import { commitTime, run } from './run.mjs';

/** What is in the single files: their CycloneDX list and their licenses, by the names of these files. `license` is that of Node.js. */
export async function describeContents(metafiles, { name, version, node, license }) {
  const packages = (await packagesIn(...metafiles)).map(({ about }) => about);
  const sbom = JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx']));
  const listed = listComponents(sbom, packages, { name, version, node, seconds: commitTime() });
  const licenses = await licensesOf(...metafiles);
  return new Map([
    ['gwconf.cdx.json', `${JSON.stringify(listed, null, 2)}\n`],
    ['LICENSES.txt', `${licenses}\n${'-'.repeat(80)}\n\nNode.js ${node}\n\n${license}`],
  ]);
}
