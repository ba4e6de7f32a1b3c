// The blocks of README and docs that the test of the pages does not run, each with the test that types it, or the reason
// why none can. All other blocks run.
import type { Untried } from './run-page.ts'

const deploying = 'docs/deploying.md'
const hooks = 'docs/guide/hooks.md'
const deployingTest = 'scripts/test/deploying.slow.test.ts'
const packageTest = 'packages/cli/test/package.slow.test.ts'

export const untried: readonly Untried[] = [
  { page: 'docs/guide/updates.md', begins: 'retry: 1000', typedBy: 'packages/gateway/test/readers-stream.test.ts' },
  { page: 'docs/app.md', begins: 'find . -type f', typedBy: 'packages/cli/test/app-hash.slow.test.ts' },
  { page: 'docs/app.md', begins: 'postern app --relay', typedBy: 'packages/cli/test/own-app.slow.test.ts' },
  {
    page: 'docs/guide/webhooks.md',
    begins: 'curl -X PUT',
    why: 'The gateway of this page has WEBHOOK_URL. packages/gateway/test/webhook-api.test.ts sends the same request.',
  },
  {
    page: 'docs/upgrading.md',
    begins: 'npm install --global',
    why: 'It needs systemd and a packed version; packages/cli/test/package.slow.test.ts installs the file.',
  },
  {
    page: 'docs/coming-from.md',
    begins: 'curl -H "Content-Type: application/json"',
    why: 'It needs a hook. docs/guide/hooks.md makes one, and runs the same command.',
  },
  {
    page: 'docs/private-ca.md',
    begins: '# /etc/postern/helper.env',
    why: 'It names a host of your network. packages/cli/test/proxy.slow.test.ts starts a gateway with such a certificate.',
  },
  {
    page: 'docs/mcp.md',
    begins: '{\n  "mcpServers": {\n    "postern": {\n      "type"',
    why: 'It configures a client. packages/mcp/test/requests.test.ts connects clients with such an address and token.',
  },
  {
    page: 'docs/mcp.md',
    begins: '{\n  "mcpServers": {\n    "postern": {\n      "command"',
    why: 'It configures a client. packages/cli/test/mcp.slow.test.ts starts this command as a client does.',
  },
  { page: 'docs/mcp.md', begins: '{ "status": "answered"', typedBy: 'packages/mcp/test/questions.test.ts' },
  { page: 'docs/console.md', begins: 'ssh -N', why: 'It needs a server with a name of yours.' },
  { page: 'README.md', begins: 'npm ci && npm test', why: 'It is what runs this test.' },
  { page: deploying, begins: 'npm run bundle\n', typedBy: packageTest },
  {
    page: deploying,
    begins: 'npm install --global',
    why: 'It writes into /usr/local. packages/cli/test/package.slow.test.ts installs the same file elsewhere.',
  },
  { page: deploying, begins: 'install -d -m 0700 /etc/postern', typedBy: deployingTest },
  { page: deploying, begins: 'systemctl enable --now postern-relay', typedBy: deployingTest },
  { page: deploying, begins: 'chmod 0600 /etc/postern/relay.env', typedBy: deployingTest },
  { page: deploying, begins: 'scripts/image', typedBy: 'packages/cli/test/image.slow.test.ts' },
  { page: deploying, begins: 'cd deploy/compose', typedBy: deployingTest },
  { page: deploying, begins: 'docker compose build', typedBy: deployingTest },
  { page: deploying, begins: 'docker compose up', typedBy: deployingTest },
  { page: deploying, begins: 'cd deploy/kubernetes', typedBy: deployingTest },
  { page: deploying, begins: 'echo "RELAY_INVITE=', typedBy: deployingTest },
  { page: deploying, begins: 'RELAY_HOST=relay.example', typedBy: deployingTest },
  {
    page: deploying,
    begins: 'cp deploy/proxy/nginx.conf',
    why: 'It needs certificates of real hosts. packages/cli/test/proxy.slow.test.ts runs the file with others.',
  },
  { page: deploying, begins: 'openssl rand -hex 24 > /etc/postern/helper.token', typedBy: deployingTest },
  { page: deploying, begins: 'docker buildx', why: 'It asks a registry on the internet.' },
  {
    page: 'docs/scaling.md',
    begins: 'mkdir -p tls',
    typedBy: 'packages/relay/test/postgres-compose.test.ts',
  },
  { page: 'docs/scaling.md', begins: 'COMPOSE_PROFILES=', typedBy: 'packages/relay/test/postgres-compose.test.ts' },
  {
    page: 'docs/scaling.md',
    begins: 'docker compose up -d database',
    why: 'It needs the image of PostgreSQL from a registry. The test of the block above starts the server with the same words.',
  },
  {
    page: 'docs/backup.md',
    begins: 'npm run --silent postern -- relay restored',
    typedBy: 'packages/relay/test/postgres-operator.test.ts',
  },
  {
    page: 'docs/backup.md',
    begins: '10 3 * * *',
    why: 'It needs cron and a second machine; the page runs the command.',
  },
  {
    page: 'docs/relay.md',
    begins: 'npm run --silent postern -- relay move',
    typedBy: 'e2e/test/store-moves.test.ts',
  },
  {
    page: 'docs/relay.md',
    begins: 'POSTERN_RELAY_BLOBS=',
    why: 'It shows a setting. packages/relay/test/blob-place-settings.test.ts reads such addresses.',
  },
  {
    page: 'docs/scaling.md',
    begins: 'POSTERN_RELAY_DATABASE=',
    why: 'It shows a setting. packages/relay/test/postgres-encryption.test.ts connects by such addresses.',
  },
  { page: 'docs/scaling.md', begins: 'checkpoint_timeout', why: 'It is a setting of PostgreSQL, which was measured.' },
  {
    page: 'docs/failover.md',
    begins: '# postgresql.conf',
    why: 'It shows settings of three machines. packages/cli/test/balancer-failover.slow.test.ts sets the same on one.',
  },
  {
    page: 'docs/failover.md',
    begins: 'POSTERN_RELAY_DATABASE=',
    why: 'It shows settings of three machines. packages/cli/test/balancer-failover.slow.test.ts sets the same on one.',
  },
  {
    page: 'docs/clients.md',
    begins: 'import { getUpdates',
    typedBy: 'packages/gateway/test/generated-clients.slow.test.ts',
  },
  {
    page: hooks,
    begins: 'route:',
    why: 'It needs an Alertmanager. packages/gateway/test/hooks-alertmanager.test.ts runs one, if it is installed.',
  },
  {
    page: hooks,
    begins: '🔥 InstanceDown',
    why: 'It shows messages. packages/gateway/test/hooks-alerts-format.test.ts compares such lines.',
  },
  {
    page: hooks,
    begins: '❌ Пайплайн упал',
    why: 'It shows a message. packages/gateway/test/hooks-pipeline-format.test.ts compares such lines.',
  },
  {
    page: hooks,
    begins: '🔥 High memory',
    why: 'It shows a message. packages/gateway/test/hooks-monitors-format.test.ts compares such lines.',
  },
  {
    page: hooks,
    begins: '🔴 Не отвечает',
    why: 'It shows a message. packages/gateway/test/hooks-monitors-format.test.ts compares such lines.',
  },
  {
    page: hooks,
    begins: '❌ CI упал',
    why: 'It shows a message. packages/gateway/test/hooks-vcs-format.test.ts compares such lines.',
  },
  {
    page: hooks,
    begins: '🔴 db-1',
    why: 'It shows a message. packages/gateway/test/hooks-template-format.test.ts writes it by the template of the page.',
  },
  { page: 'docs/architecture.md', begins: 'packages/\n', why: 'It is a picture.' },
  { page: 'docs/architecture.md', begins: 'protocol ◀', why: 'It is a picture. npm run check enforces its arrows.' },
  {
    page: 'docs/operating.md',
    begins: '{"level":"warn","code":"mls',
    why: 'It shows a line of a log. e2e/test/hostile-entries.test.ts compares its fields.',
  },
  {
    page: 'docs/operating.md',
    begins: 'ok    settings',
    why: 'It shows a report. packages/cli/test/doctor.slow.test.ts makes such reports.',
  },
]
