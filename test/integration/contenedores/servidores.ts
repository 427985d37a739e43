import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';
import { waitFor } from '../fixtures/wait-for.ts';

/** Images come from the environment where none can be pulled; each must start its server by its own command. */
const POSTGRES_IMAGE = process.env['ACUSE_TEST_POSTGRES_IMAGE'] ?? 'postgres:18';
const REDIS_IMAGE = process.env['ACUSE_TEST_REDIS_IMAGE'] ?? 'redis:8';

/** An engine that answers and has, or can get, both images. Without one these tests are reported as skipped. */
export async function hasEngine(): Promise<boolean> {
  try {
    const { container } = await getContainerRuntimeClient();
    const images = await container.dockerode.listImages();
    const tags = new Set(images.flatMap((image) => image.RepoTags ?? []));
    const isLocal = (name: string) => tags.has(name) || tags.has(`${name}:latest`);
    return (isLocal(POSTGRES_IMAGE) && isLocal(REDIS_IMAGE)) || process.env['ACUSE_TEST_PULL'] === 'true';
  } catch {
    return false;
  }
}

export const startPostgres = (): Promise<StartedTestContainer> =>
  new GenericContainer(POSTGRES_IMAGE)
    .withEnvironment({ POSTGRES_USER: 'acuse', POSTGRES_PASSWORD: 'acuse', POSTGRES_DB: 'acuse' })
    .withAddedCapabilities('NET_ADMIN')
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forListeningPorts())
    .start();

export const startRedis = (): Promise<StartedTestContainer> =>
  new GenericContainer(REDIS_IMAGE)
    .withAddedCapabilities('NET_ADMIN')
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forListeningPorts())
    .start();

/** A server in a container, at an address that stays while its network is cut or it is started again. */
export interface Fallible {
  readonly address: string;
  /** Does what the fault says; gives what undoes it. */
  fail(fault: Falla): Promise<() => Promise<unknown>>;
  /** Lets it send so much a second; what undoes it throws where nothing came by it. */
  slow(rate: number): Promise<() => Promise<void>>;
}

export type Falla = 'pause' | 'kill' | 'cut';

/** A network of one test file for containers whose addresses stay. */
export async function openRed(subnet: string) {
  const { dockerode } = (await getContainerRuntimeClient()).container;
  const network = await dockerode.createNetwork({
    Name: `acuse-test-${process.pid}`,
    IPAM: { Config: [{ Subnet: subnet }] },
  });
  return {
    /** Puts a container at an address of the network. */
    async join(started: StartedTestContainer, address: string): Promise<Fallible> {
      const container = dockerode.getContainer(started.getId());
      const connect = () =>
        network.connect({ Container: started.getId(), EndpointConfig: { IPAMConfig: { IPv4Address: address } } });
      await connect();
      const tc = (...args: string[]) => started.exec(['tc', ...args], { user: 'root' });
      const interfaceOf = async () =>
        (await started.exec(['sh', '-c', `ip -o -4 address | grep ' ${address}/'`])).output.split(/\s+/)[1] ?? '';
      return {
        address,
        async fail(fault) {
          if (fault === 'pause') {
            // A busy kernel may not freeze all of its processes at the first attempt.
            await waitFor(() =>
              container.pause().then(
                () => true,
                () => null,
              ),
            );
            return () => container.unpause();
          }
          if (fault === 'kill') {
            await container.kill();
            return () => container.start();
          }
          await network.disconnect({ Container: started.getId() });
          return connect;
        },
        async slow(rate) {
          const device = await interfaceOf();
          const { exitCode, output } = await tc(
            ...['qdisc', 'add', 'dev', device, 'root', 'tbf', 'rate', `${rate}kbit`, 'burst', '2kb', 'latency', '5s'],
          );
          if (exitCode !== 0) throw new Error(`the network cannot be made slow: ${output}`);
          return async () => {
            const { output: statistics } = await tc('-s', 'qdisc', 'show', 'dev', device);
            await tc('qdisc', 'del', 'dev', device, 'root');
            if (!/Sent [1-9]/.test(statistics)) throw new Error(`nothing came by the slow network: ${statistics}`);
          };
        },
      };
    },
    close: () => network.remove(),
  };
}
