import { testBlocks } from './blocks.ts'

testBlocks('guides')
