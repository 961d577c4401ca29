/** Two command lines for the help of each command. */
export const EXAMPLES: Readonly<Record<string, readonly [string, string]>> = {
  init: ['gwconf init', 'gwconf init --yes --name prod --url https://gateway.example.com:8888'],
  validate: ['gwconf validate', 'gwconf validate -f teams/payments --fail-on warning'],
  test: ['gwconf test', 'gwconf test tests/prod.gwtest.yaml --env prod -o junit=tests.xml'],
  plan: [
    'gwconf plan --env prod --out plan.json',
    'gwconf plan --env prod --base origin/main --fail-on drift',
  ],
  diff: [
    'gwconf diff --from staging --to prod',
    'gwconf diff --from live:staging --to live:prod --detailed-exitcode',
  ],
  apply: ['gwconf apply plan.json', 'gwconf apply --env dev -f gateway --auto-approve'],
  undo: ['gwconf undo', 'gwconf undo --env prod --auto-approve'],
  journal: ['gwconf journal', 'gwconf journal --env prod -o json'],
  show: ['gwconf show plan.json', 'gwconf show plan.json -o json'],
  comment: ['gwconf comment plan.json', 'gwconf comment staging.json prod.json --when-empty delete'],
  import: [
    "gwconf import 'AliasTopic/*@vCluster=prod' --env prod",
    'gwconf import --env prod --drift --dry-run',
  ],
  drift: ['gwconf drift --env prod', 'gwconf drift --env prod --detailed-exitcode'],
  export: [
    'gwconf export --env prod --out gateway --secrets-env .env',
    "gwconf export 'AliasTopic/*' '*@vCluster=payments*' --out payments/gateway --project",
  ],
  migrate: [
    'gwconf migrate scripts --out gateway --secrets-env .env',
    'gwconf migrate --scan ../scripts -o sarif=v1.sarif --detailed-exitcode',
  ],
  get: ['gwconf get interceptors --env prod', "gwconf get 'AliasTopic/*@vCluster=prod' -o yaml"],
  plugins: ['gwconf plugins --env prod', 'gwconf plugins --env prod -o json'],
  snapshot: [
    'gwconf snapshot --env prod --out snapshot.json',
    'gwconf snapshot --url https://gateway.example.com:8888 --out snapshot.json',
  ],
  render: ['gwconf render --env prod', 'gwconf render topics.yaml -o json'],
  effective: [
    'gwconf effective --env prod --as orders-app --virtual-cluster prod --why',
    'gwconf effective --env prod --uncovered --topics topics.txt --protection encryption',
  ],
  resolve: [
    'gwconf resolve --as orders-app --virtual-cluster prod --group payments',
    'gwconf resolve --env prod --as orders-app -o json',
  ],
  'token issue': [
    'gwconf token issue GatewayServiceAccount/orders-app@vCluster=prod --lifetime 90d --out /run/secrets/orders-app',
    'gwconf token issue --account orders-app --lifetime 12h --format env --out .env',
  ],
  'token inspect': [
    'gwconf token inspect /run/secrets/orders-app --warn-within 7d',
    'gwconf token inspect .env -o json',
  ],
  'cluster switch': [
    'gwconf cluster switch --to failover --url https://gw-1.example.com:8888 --url https://gw-2.example.com:8888',
    'gwconf cluster switch --to main --env prod --auto-approve',
  ],
  doctor: ['gwconf doctor --env prod', 'gwconf doctor --env prod -o json'],
  keygen: ['gwconf keygen --out plan-key.pem', 'gwconf plan --out plan.json --sign-key plan-key.pem'],
  schema: ['gwconf schema > resources.schema.json', 'gwconf schema Interceptor'],
  gateway: ['gwconf gateway', 'gwconf gateway --port 0 --state practice.json'],
  fmt: ['gwconf fmt', 'gwconf fmt --check -f gateway'],
  explain: ['gwconf explain Interceptor.spec.priority', 'gwconf explain missing-field'],
  template: ['gwconf template AliasTopic > topics.yaml', 'gwconf template EncryptPlugin'],
  version: ['gwconf version', 'gwconf --version'],
  completion: ['source <(gwconf completion bash)', 'gwconf completion fish | source'],
};

/** The end of the help of gwconf. */
export const HELP = `
Exit codes:
  0   success
  1   invalid input or gateway error
  2   changes found (--detailed-exitcode)
  3   blocked by a safety rule
  4   plan is stale or for another gateway
  5   partly applied
  64  invalid usage
  70  internal error
  74  output is lost
  130 interrupted

Getting started, without a gateway:
  gwconf init --yes
  gwconf plan
  gwconf apply`;
