import { describe, expect, it } from 'vitest';
import { AREAS, findUses } from '../../../src/v1/scan/scan.ts';
import type { ScanReport } from '../../../src/outcome/migrate.ts';
import { makeWorld, verdictOf } from '../../support/cli.ts';

const uses = (text: string): readonly string[] => findUses({ text }).map((use) => `${use.area} ${use.text}`);

describe('a use of v1', () => {
  it.each([
    ['curl http://gw:8888/admin/username/alice', 'tokens /admin/username/alice'],
    [
      'POST /admin/vclusters/v1/vcluster/a/username/b HTTP/1.1',
      'tokens /admin/vclusters/v1/vcluster/a/username/b',
    ],
    ['fetch("/admin/vclusters/v1")', 'virtualClusters /admin/vclusters/v1'],
    [
      '"url": "https:\\/\\/gw\\/admin\\/userMappings\\/v1"',
      String.raw`userMappings \/admin\/userMappings\/v1`,
    ],
    [
      '`${base}/admin/interceptors/v1/vcluster/${vc}/interceptor/x`',
      'interceptors /admin/interceptors/v1/vcluster/${vc}/interceptor/x',
    ],
    ["'/admin/plugins/v1/extended?x=secret'", 'plugins /admin/plugins/v1/extended'],
    [
      'f"{host}/admin/vclusters/v1/vcluster/{vc}/concentration-rules"',
      'concentrationRules /admin/vclusters/v1/vcluster/{vc}/concentration-rules',
    ],
    [
      '"/admin/pclusters/v1/pcluster/main/switch?to=x"',
      'clusterSwitching /admin/pclusters/v1/pcluster/main/switch',
    ],
    ['/admin/vclusters/v1/vcluster/a/topics/t', 'topicMappings /admin/vclusters/v1/vcluster/a/topics/t'],
    ['http://gw/internal/alias-topic/a/t', 'topicMappings /internal/alias-topic/a/t'],
    ['"/admin/interceptors" + "/v1/global"', 'interceptors /admin/interceptors" + "/v1/global'],
    ['path.join("admin", "interceptors", "v1")', 'interceptors admin", "interceptors", "v1'],
    ['String.format("/admin/%s/v1/x", area)', 'unknown /admin/%s/v1/x'],
    ['"/admin/{area}/v1"', 'unknown /admin/{area}/v1'],
    ['"/admin/$AREA/v1"', 'unknown /admin/$AREA/v1'],
    ['"/admin/{{ area }}/v1"', 'unknown /admin/{{ area }}/v1'],
    ['"/admin/#{area}/v1"', 'unknown /admin/#{area}/v1'],
    ['"/admin/$(area)/v1"', 'unknown /admin/$(area)/v1'],
    ['"/admin/%(area)s/v1"', 'unknown /admin/%(area)s/v1'],
    ['"/admin/" + area + "/v1/x"', 'unknown /admin/" + area + "/v1/x'],
    ['join("admin", area, "v1")', 'unknown admin", area, "v1'],
    [
      '/admin/vclusters/${V:-v1}/vcluster/a/username/b',
      'tokens /admin/vclusters/${V:-v1}/vcluster/a/username/b',
    ],
    ['$"{b}/admin/interceptors/{Version}/global"', 'interceptors /admin/interceptors/{Version}/global'],
    ['"{{ gw }}/admin/userMappings/{{ v }}"', 'userMappings /admin/userMappings/{{ v }}'],
    ['segments("admin", "pclusters", V, "pcluster")', 'clusterSwitching admin", "pclusters", V'],
    ['f"{BASE}/userMappings/v1/vcluster/{vc}"', 'userMappings /userMappings/v1/vcluster/{vc}'],
    ['"%s/interceptors/v1/global" % BASE', 'interceptors /interceptors/v1/global'],
    ['curl $ADMIN/vclusters/v1/vcluster/a/topics/t', 'topicMappings /vclusters/v1/vcluster/a/topics/t'],
    ["'pclusters/v1'", 'clusterSwitching pclusters/v1'],
    ['path: /health\n  port: 8888', 'health /health'],
    ['image: conduktor/conduktor-gateway\nhealthcheck: curl localhost/health', 'health /health'],
  ])('is found in %s', (text, expected) => {
    expect(uses(text)).toEqual([expected]);
  });

  it.each([
    'https://keycloak/admin/realms/x/users',
    'the admin, plugins and v1 of another product',
    'import "example.com/grpc/interceptors/v1" # see interceptors/v1',
    'admin interceptors v1',
    '/administrator/plugins/v1 /my-admin/plugins/v1',
    '/admin/plugins/v10 /admin/plugins/v2',
    'curl http://registry:8081/health',
    'conduktor /health/live /health/ready /healthz /health-check',
    '/gateway/v2/interceptor',
    'app.get("/admin/interceptors", handler)',
    '/admin/interceptors/list /admin/{area}/{id} /admin/interceptors/:id /admin/interceptors/{{ userId }}',
  ])('is not found in %s', (text) => {
    expect(uses(text)).toEqual([]);
  });

  it('has all that the versioning table lists, with the versions', () => {
    expect(
      Object.values(AREAS).map(({ name, deprecated, removed }) => `${name} ${deprecated} ${removed}`),
    ).toEqual([
      'Auth tokens v1 3.15.0 3.21.0',
      'Virtual clusters v1 3.15.0 3.21.0',
      'User mappings v1 3.15.0 3.21.0',
      'Interceptors v1 3.15.0 3.21.0',
      'Plugins v1 3.15.0 3.21.0',
      'Concentration rules v1 3.15.0 3.21.0',
      'Cluster switching v1 3.15.0 3.21.0',
      'Topic mappings v1 3.15.0 3.21.0',
      'Admin API v1 3.15.0 3.21.0',
      'Legacy health endpoint 3.12.0 3.21.0',
    ]);
  });
});

const FILES = {
  '.gitignore': 'out/\n*.log\n',
  'src/.gitignore': '!kept.log\ngenerated.py\n',
  'src/kept.log': '/admin/plugins/v1',
  'src/generated.py': '/admin/plugins/v1',
  'src/client.py': 'x = 1\nurl = base + "/admin/vclusters/v1/vcluster/" + vc + "/topics"\n',
  '.github/workflows/ci.yml': 'run: curl -u admin:s3cret http://admin:s3cret@gw/admin/userMappings/v1\n',
  'out/a.sh': '/admin/plugins/v1',
  'x.log': '/admin/plugins/v1',
  'image.bin': '\0/admin/plugins/v1',
};

describe('migrate --scan', () => {
  it('names each use with its place, by area, and what was skipped', async () => {
    const world = makeWorld(FILES);
    const { code, out, err } = await world.run('migrate', '--scan');
    expect([code, err]).toEqual([0, 'result: v1-used\n']);
    expect(out).toMatchInlineSnapshot(`
      "User mappings v1: deprecated since 3.15.0, removed in 3.21.0; use /gateway/v2/service-account and /gateway/v2/group
        .github/workflows/ci.yml:1:49  /admin/userMappings/v1

      Plugins v1: deprecated since 3.15.0, removed in 3.21.0; use GET /gateway/v2/plugin
        src/kept.log:1:1  /admin/plugins/v1

      Topic mappings v1: deprecated since 3.15.0, removed in 3.21.0; use /gateway/v2/alias-topic, /gateway/v2/concentrated-topic and topic views
        src/client.py:2:15  /admin/vclusters/v1/vcluster/

      Skipped, binary: image.bin
      Skipped, ignored by git: out, src/generated.py, x.log

      3 uses of v1 in 3 files, of 5 read.
      "
    `);
  });

  it('exits with 2 with --detailed-exitcode, and with 0 if nothing uses v1', async () => {
    const world = makeWorld({ ...FILES, 'docs/a.md': 'v2' });
    expect((await world.run('migrate', '--scan', '--detailed-exitcode')).code).toBe(2);
    const none = await world.run('migrate', '--scan', 'docs', '--detailed-exitcode');
    expect([none.code, none.out, verdictOf(none)]).toEqual([
      0,
      'No uses of v1 in 1 file.\n',
      'result: v1-unused',
    ]);
  });

  it('writes SARIF, annotations of GitHub and JSON, without credentials', async () => {
    const world = makeWorld(FILES);
    const { out } = await world.run(
      'migrate',
      '--scan',
      '-o',
      'github',
      '-o',
      'sarif=v1.sarif',
      '-o',
      'json=v1.json',
    );
    expect(out).toContain('::warning file=src/client.py,line=2,col=15,title=gwconf removed-endpoint::');
    expect(world.read('v1.sarif')).toContain('"startColumn": 15');
    const report = world.json('v1.json') as ScanReport;
    expect(report.summary).toEqual({ uses: 3, files: 3, read: 5 });
    expect(`${out}${world.read('v1.sarif')}${world.read('v1.json')}`).not.toContain('s3cret');
  });

  it('is an error for a path that is not there, and reports the rest', async () => {
    const world = makeWorld(FILES);
    const { code, out, err } = await world.run('migrate', '--scan', 'missing', 'src/client.py');
    expect([code, verdictOf({ err })]).toEqual([1, 'result: error']);
    expect(err).toContain('error[unreadable-file]: missing cannot be read');
    expect(out).toContain('src/client.py:2:15');
  });

  it('is an error where no file is read', async () => {
    const world = makeWorld({ ...FILES, 'only/image.bin': 'a\0b' });
    const { code, out, err } = await world.run('migrate', '--scan', 'only', '-o', 'sarif');
    expect([code, verdictOf({ err })]).toEqual([1, 'result: error']);
    expect(err).toContain('error[no-resources]: there is no file to search in only\n = check the path');
    expect(out).toContain('"executionSuccessful": false');
  });

  it('refuses formats that it does not have, and a run without --scan', async () => {
    const world = makeWorld(FILES);
    expect((await world.run('migrate', '--scan', '-o', 'html')).code).toBe(64);
  });
});
