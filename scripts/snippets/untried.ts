// The blocks of README and docs that no test runs, each with the reason. All other blocks run.
import type { Untried } from './run-page.ts'

const deploying = 'docs/deploying.md'

export const untried: readonly Untried[] = [
  { page: 'README.md', begins: 'npm ci && npm test', why: 'It is what runs this test.' },
  {
    page: deploying,
    begins: 'npm run bundle\n',
    why: 'It writes into the checkout. packages/cli/test/package.slow.test.ts does the same elsewhere, and installs the file.',
  },
  {
    page: deploying,
    begins: 'cp deploy/systemd/',
    why: 'It needs systemd as the first process, and root.',
  },
  {
    page: deploying,
    begins: 'scripts/image',
    why: 'It needs a builder of images and the network; it is itself the test of the image.',
  },
  { page: deploying, begins: 'docker compose up', why: 'It needs Docker, and hosts with names of their own.' },
  {
    page: 'docs/backup.md',
    begins: 'npm run --silent postern -- relay restored',
    why: 'It needs a PostgreSQL of that name. packages/relay/test/postgres-operator.test.ts says it to one.',
  },
  {
    page: 'docs/relay.md',
    begins: 'npm run --silent postern -- relay move',
    why: 'It needs a PostgreSQL of that name. e2e/test/store-moves.test.ts moves a relay to one and back.',
  },
  { page: deploying, begins: 'kubectl apply', why: 'It needs a cluster.' },
]
