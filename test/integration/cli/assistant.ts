import { programEntry } from '@acuse/embedded';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type CallToolResult, type Progress, ProgressNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, inject, onTestFinished } from 'vitest';

/** An address without a server. */
export const NOWHERE = { ACUSE_URL: 'http://127.0.0.1:9', ACUSE_API_KEY: 'acuse_test_x', ACUSE_RFC: 'ACU200101DB1' };

export type Datos = Readonly<Record<string, unknown>>;
interface Llamada {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

/** An assistant: the protocol's own client, with the server as its child. */
export async function openAssistant(env: Readonly<Record<string, string>>, ...args: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programEntry(inject('programs'), 'cli'), 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...env },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  // The client drops a report that arrives in one piece with the answer.
  const reports: Progress[] = [];
  transport.onmessage = (message) => {
    const { success, data } = ProgressNotificationSchema.safeParse(message);
    if (success) reports.push(data.params);
  };
  const client = new Client({ name: 'acuse-test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  // By this list the client checks every answer against its schema.
  const { tools } = await client.listTools();
  const call = (name: string, args: Datos = {}, options: Llamada = {}) =>
    client.callTool({ name, arguments: args }, undefined, options) as Promise<CallToolResult>;
  const textOf = ({ content: [first] }: CallToolResult) => (first?.type === 'text' ? first.text : '');
  return {
    client,
    tools,
    call,
    said: () => said,
    /** The reports of progress that the transport has delivered since the last call. */
    takeReports: () => reports.splice(0),
    /** What a tool answers; its text says the same. */
    async ask(name: string, args?: Datos, options?: Llamada): Promise<Datos> {
      const answer = await call(name, args, options);
      expect([answer.isError, JSON.parse(textOf(answer))]).toEqual([undefined, answer.structuredContent]);
      return answer.structuredContent ?? {};
    },
    /** What it says of an error. */
    async refusal(name: string, args?: Datos): Promise<Datos> {
      const answer = await call(name, args);
      expect([answer.isError, answer.structuredContent]).toEqual([true, undefined]);
      return JSON.parse(textOf(answer)) as Datos;
    },
  };
}
