import { createConfig, lintFromString } from '@redocly/openapi-core'
import { OPERATIONS } from '@transom/protocol'
import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.ts'

test('the OpenAPI document has no error or warning by the recommended rules of Redocly', async () => {
  const source = JSON.stringify(openApiDocument(OPERATIONS, '1.0.0'))
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([])
})
