import { DOMParser, type Element } from '@xmldom/xmldom';
import { expect, it } from 'vitest';
import { canonicalize } from './signature.ts';

it.each([
  ['<s:r xmlns:s="urn:s" xmlns:d="urn:d"><d:a/></s:r>', '<d:a xmlns:d="urn:d"></d:a>', ' xmlns:s="urn:s"'],
  ['<s:r xmlns:s="urn:s" xmlns="urn:d"><a b="1"/></s:r>', '<a xmlns="urn:d" b="1"></a>', ' xmlns:s="urn:s"'],
  ['<r xmlns="urn:r" xmlns:d="urn:d"><d:a/></r>', '<d:a xmlns:d="urn:d"></d:a>', ' xmlns="urn:r"'],
  ['<r xmlns:d="urn:1"><m xmlns:d="urn:2"><d:a/></m></r>', '<d:a xmlns:d="urn:2"></d:a>', ''],
])('counts the namespaces in scope of the innermost element of %s only when inclusive', (xml, exclusive, inScope) => {
  let inner = new DOMParser().parseFromString(xml, 'text/xml').documentElement as Element;
  while (inner.firstChild) inner = inner.firstChild as Element;
  expect(canonicalize(inner, 'exclusive')).toBe(exclusive);
  const inclusive = canonicalize(inner, 'inclusive');
  expect(inclusive.replace(inScope, '')).toBe(exclusive);
  expect(inclusive).toHaveLength(exclusive.length + inScope.length);
});
