module licensing.example.com/sdk

go 1.19
