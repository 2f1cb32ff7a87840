// Starts Redis, Postgres, two instances and the balancer. An instance that dies is started again.
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { toNodeListener } from "threadfold/serve";
import { balance } from "./balancer.mjs";
import { startPostgres, startRedis } from "./databases.mjs";

const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
const saver = PostgresSaver.fromConnString(postgres.url);
await saver.setup(); // makes the tables, once for all instances
await saver.end();

let isOver = false;
const addresses = [];
const instances = [];
function startInstance(at) {
  const instance = fork(join(import.meta.dirname, "instance.mjs"), {
    env: { ...process.env, PORT: 0, REDIS: redis.path, POSTGRES: postgres.url },
  });
  instances[at] = instance;
  instance.once("message", ({ port }) => {
    addresses[at] = `http://127.0.0.1:${port}`;
    console.log(`Instance ${instance.pid} is ready.`);
    if (!balancer.listening && addresses.filter(Boolean).length === 2) balancer.listen(process.env.PORT ?? 8000);
  });
  instance.once("exit", () => setTimeout(() => isOver || startInstance(at), 1_000));
}

const balancer = createServer(toNodeListener(balance(addresses)));
balancer.once("listening", () => console.log(`Open http://localhost:${balancer.address().port} in several tabs.`));
for (const at of [0, 1]) startInstance(at);

async function stop() {
  isOver = true;
  for (const instance of instances) instance.kill("SIGKILL");
  await Promise.all([redis.stop(), postgres.stop()]);
  process.exit();
}
process.once("SIGINT", stop).once("SIGTERM", stop);
