// The formula of Homebrew and the manifests of winget, from the checksums of the single files.
const DESCRIPTION = 'Manage the configuration of a Conduktor Gateway with YAML files';

const urlOf = (facts, file) => `${facts.page}/releases/download/v${facts.version}/${file}`;

/** `sums` has the SHA-256 of each single file by its name; a system without one is left out. */
export function makeFormula(facts, sums) {
  const system = (name, targets) => {
    const found = targets.filter(([, file]) => sums.has(file));
    if (found.length === 0) return '';
    const each = found.map(
      ([block, file]) => `    ${block} do
      url "${urlOf(facts, file)}"
      sha256 "${sums.get(file)}"
    end
`,
    );
    return `  ${name} do\n${each.join('')}  end\n`;
  };
  const systems = [
    system('on_macos', [
      ['on_arm', 'gwconf-macos-arm64'],
      ['on_intel', 'gwconf-macos-x64'],
    ]),
    system('on_linux', [
      ['on_arm', 'gwconf-linux-arm64'],
      ['on_intel', 'gwconf-linux-x64'],
    ]),
  ].filter((text) => text !== '');
  return `class Gwconf < Formula
  desc "${DESCRIPTION}"
  homepage "${facts.page}"
  version "${facts.version}"
  license "Apache-2.0"

${systems.join('\n')}
  def install
    bin.install Dir["gwconf-*"].first => "gwconf"
  end

  test do
    assert_equal "gwconf #{version}", shell_output("#{bin}/gwconf --version").chomp
  end
end
`;
}

/** Three files, by their names. */
export function makeWinget(facts, sums) {
  const [owner] = facts.repository.split('/');
  const id = `${owner}.gwconf`;
  const schema = '1.6.0';
  const manifest = (type, lines) =>
    [
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type.toLowerCase()}.${schema}.schema.json`,
      `PackageIdentifier: ${id}`,
      `PackageVersion: ${facts.version}`,
      ...lines,
      `ManifestType: ${type}`,
      `ManifestVersion: ${schema}`,
      '',
    ].join('\n');
  const installers = ['x64', 'arm64'].flatMap((arch) => {
    const file = `gwconf-windows-${arch}.exe`;
    const sum = sums.get(file);
    return sum === undefined
      ? []
      : [
          `- Architecture: ${arch}`,
          `  InstallerUrl: ${urlOf(facts, file)}`,
          `  InstallerSha256: ${sum.toUpperCase()}`,
        ];
  });
  return new Map([
    [`${id}.yaml`, manifest('version', ['DefaultLocale: en-US'])],
    [
      `${id}.installer.yaml`,
      manifest('installer', [
        'InstallerType: portable',
        'Commands:',
        '- gwconf',
        'Installers:',
        ...installers,
      ]),
    ],
    [
      `${id}.locale.en-US.yaml`,
      manifest('defaultLocale', [
        'PackageLocale: en-US',
        `Publisher: ${owner}`,
        'PackageName: gwconf',
        `PackageUrl: ${facts.page}`,
        'License: Apache-2.0',
        `LicenseUrl: ${facts.page}/blob/main/LICENSE`,
        `ShortDescription: ${DESCRIPTION}.`,
      ]),
    ],
  ]);
}
