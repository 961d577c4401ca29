// The passages that say how gwconf is had: built from a clone until it is published, and fetched from then on. `private` in
// package.json decides; `npm run release -- --texts` writes them, and a test holds the files to them.
import { PLACEHOLDERS } from './facts.mjs';

const CLONE = `gwconf is not published to a registry yet, so each begins with a clone of
this repository.`;

/** Where, what it says before, and after. */
const PASSAGES = ({ version, repository, image, charts }) => [
  [
    'README.md',
    `The package is not published to a registry yet. In a clone of this repository:

\`\`\`sh
npm ci && npm pack
npm install --global ./gwconf-${version}.tgz
\`\`\``,
    `[Other ways to install it](docs/reference/install.md) need no Node.js. In a clone of this repository, which has the examples:

\`\`\`sh
npm install --global gwconf@${version}
\`\`\``,
  ],
  [
    'docs/reference/install.md',
    `All are the same program, and none fetches anything when it runs. ${CLONE}`,
    `All are the same program, and none fetches anything when it runs. The [releases](https://github.com/${repository}/releases) have the files;
each can also be built from a clone of this repository, as below.`,
  ],
  [
    'docs/reference/install.md',
    `\`\`\`sh
npm ci && npm pack
npm install --global ./gwconf-${version}.tgz
\`\`\`

It has no dependencies. In a project, put the file into \`tools/\`, run \`npm install --save-dev ./tools/gwconf-${version}.tgz\`, and use
\`npx gwconf\`; \`package-lock.json\` then has its checksum.`,
    `\`\`\`sh
npm install --global gwconf@${version}
\`\`\`

It has no dependencies. In a project, run \`npm install --save-dev --save-exact gwconf@${version}\`, and use \`npx gwconf\`; \`package-lock.json\`
then has its checksum.`,
  ],
  [
    'docs/reference/install.md',
    'There is no release yet, so these commands were not tried. Each release has',
    'Every release has',
  ],
  [
    'docs/guides/editor.md',
    'A checkout of gwconf packs one with `npm run pack:vscode`.',
    `Each [release](https://github.com/${repository}/releases) has one:
\`gwconf-vscode-${version}.vsix\`.`,
  ],
  [
    'CONTRIBUTING.md',
    `gwconf is not published to a registry yet, and the workflow has not run. \`package.json\` says so, and nothing else decides it. For the first
release, take out \`private\`, add \`repository\` (\`{ "type": "git", "url": "git+https://github.com/YOURS/gwconf.git" }\`), and run
\`npm run release -- --texts\`: it writes what documents, examples and manifests say of the package, the image and the repository, from
\`scripts/release/passages.mjs\`.`,
    `\`package.json\` says where gwconf is published (\`private\`, \`repository\`), and nothing else decides it. \`npm run release -- --texts\` writes
what documents, examples and manifests say of the package, the image and the repository, from \`scripts/release/passages.mjs\`.`,
  ],
  [
    'docs/reference/install.md',
    `Those for macOS and Windows were made and not run yet; the workflow
that releases gwconf runs each before it publishes anything.`,
    `The workflow that releases gwconf
runs each on its system before it publishes anything.`,
  ],
  [
    'docs/reference/install.md',
    'Kubernetes jobs | a registry of yours |',
    `Kubernetes jobs | \`${image}\` |`,
  ],
  [
    'docs/guides/kubernetes.md',
    '[Build the image](../reference/install.md#an-image) and push it to a registry of yours. Then, with Helm:',
    'With Helm:',
  ],
  [
    'docs/guides/kubernetes.md',
    'helm install gwconf deploy/chart --namespace',
    `helm install gwconf oci://${charts}/gwconf-controller --version ${version} --namespace`,
  ],
  [
    'examples/ci/Jenkinsfile',
    `a pull request can change this file. The image is what the Dockerfile of gwconf
// makes with --target gwconf-git, in your registry. "gwconf keygen" makes the keys.`,
    'a pull request can change this file. "gwconf keygen" makes the keys.',
  ],
  ...['bitbucket-pipelines.yml', 'circleci.yml'].map((name) => [
    `examples/ci/${name}`,
    ' # what the Dockerfile of gwconf makes with --target gwconf-git, in your registry',
    ' # the image of the release',
  ]),
  [
    'templates/gwconf.yml',
    'The image that the Dockerfile of gwconf makes with --target gwconf-git, in your registry',
    `The image of gwconf with git, such as ${image}:${version}-git`,
  ],
];

/** What is not published says so in one of these ways, and nowhere but in the passages above. */
export const UNPUBLISHED =
  /not published to|has not run|not run yet|no release yet|a registry of yours|in your registry/g;

/** A file as it must be: each passage as the facts have it, and their names in place of placeholders. */
export function textFor(path, text, facts) {
  const own = PASSAGES(facts).filter(([at]) => at === path);
  const written = own.reduce((all, [, before, after]) => {
    if (!all.includes(before) && !all.includes(after)) throw new Error(`${path} has no passage "${before}"`);
    return facts.isPublished ? all.replace(before, () => after) : all.replace(after, () => before);
  }, text);
  return facts.isPublished
    ? written
        .replaceAll(PLACEHOLDERS.repository, facts.repository)
        .replaceAll(PLACEHOLDERS.image, facts.image)
    : written;
}
