import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { beforeAll, expect, test } from 'vitest';
import { operationDocuments } from '../../apps/api/src/docs/write.ts';

const text = (await operationDocuments())['docs/openapi.json'];
const found: Record<'redocly' | 'spectral', string[]> = { redocly: [], spectral: [] };

beforeAll(async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  found.redocly = problems.map(
    ({ severity, ruleId, message, location: [where] }) => `${severity} ${ruleId} ${where?.pointer}: ${message}`,
  );
  const spectral = new Spectral();
  // The package's own types do not know their ruleset for one.
  const recommended = oas as unknown as RulesetDefinition;
  spectral.setRuleset({ extends: [[recommended, 'recommended']] });
  const diagnostics = await spectral.run(JSON.parse(text));
  found.spectral = diagnostics.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`);
});

test('Redocly finds no error and no warning in the OpenAPI document by its recommended rules', () => {
  expect(found.redocly).toEqual([]);
});

test('Spectral finds no error and no warning in the OpenAPI document by its recommended rules', () => {
  expect(found.spectral).toEqual([]);
});
